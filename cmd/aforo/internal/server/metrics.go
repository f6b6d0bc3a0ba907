package server

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/backend"
)

// metrics are what GET /metrics tells. No label has a key: there are as many series
// as policies, and not as many as clients.
type metrics struct {
	registry  *prometheus.Registry
	decisions *prometheus.CounterVec
	errors    *prometheus.CounterVec
	duration  prometheus.Histogram
}

func newMetrics(b *backend.Backend) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "aforo_decisions_total",
			Help: "Decisions by policy (empty for limits that requests bring), outcome (allowed or refused) and source (store, remembered, local, allow or deny)."},
			[]string{"policy", "outcome", "source"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "aforo_decision_errors_total",
			Help: "Requests for which no decision was made, by policy."}, []string{"policy"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "aforo_decision_seconds",
			Help:    "How long decisions took, with the store and without HTTP.",
			Buckets: []float64{1e-6, 1e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 1}}),
	}
	m.registry.MustRegister(m.decisions, m.errors, m.duration,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.store(b)
	return m
}

// store tells how the store is.
func (m *metrics) store(b *backend.Backend) {
	gauge := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	counter := func(name, help string, value func() int64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(value()) }))
	}
	gauge("aforo_store_up", "1 if the last call to the store was answered, 0 if not.", func() float64 {
		if b.Health() != nil {
			return 0
		}
		return 1
	})
	if _, known := b.Keys(); known {
		gauge("aforo_store_keys", "States that are kept, one for each limit of each key.", func() float64 {
			n, _ := b.Keys()
			return float64(n)
		})
		return
	}
	counter("aforo_store_calls_total", "Calls that were sent to the store.", func() int64 { return b.Stats().Sent })
	counter("aforo_store_failures_total", "Of these, calls that were not answered as they should be.", func() int64 { return b.Stats().Failed })
	counter("aforo_store_paused_total", "Calls that were not sent, since the store had failed.", func() int64 { return b.Stats().Paused })
	counter("aforo_store_remembered_total", "Calls that were not sent, since a refusal still held.", func() int64 { return b.Stats().Remembered })
}

// see counts a decision, and how long it took.
func (m *metrics) see(policy string, d aforo.Decision, began time.Time) {
	outcome := "refused"
	if d.Allowed {
		outcome = "allowed"
	}
	m.decisions.WithLabelValues(policy, outcome, d.Source.String()).Inc()
	m.duration.Observe(time.Since(began).Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
