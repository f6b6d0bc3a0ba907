package server

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
)

func document(t *testing.T) (*openapi3.T, routers.Router) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../../../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return doc, router
}

// TestEveryDoorIsDocumented: the paths and methods are those of the server.
func TestEveryDoorIsDocumented(t *testing.T) {
	doc, _ := document(t)
	documented := []string{"GET /"} // the page is for people
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			documented = append(documented, method+" "+path)
		}
	}
	var doors []string
	for _, d := range withOptions(t).Doors() {
		doors = append(doors, d.Method+" "+d.Path)
	}
	slices.Sort(documented)
	slices.Sort(doors)
	if !slices.Equal(documented, doors) {
		t.Errorf("documented %v, there are %v", documented, doors)
	}
}

// TestTheServerKeepsItsDocument: of requests that the document allows, and of
// some that it does not, the answers are as it says; and the two agree on which
// are good.
func TestTheServerKeepsItsDocument(t *testing.T) {
	_, router := document(t)
	s := withOptions(t, WithToken("a token of ours!"))
	for _, tt := range []struct {
		door, body string
		status     int
	}{
		{"POST /v1/check", `{"policy":"login","key":"k"}`, 200},
		{"POST /v1/check", `{"policy":"export","key":"k","cost":4}`, 429},
		{"POST /v1/check", `{"limit":"unlimited","key":"k","cost":0}`, 200},
		{"POST /v1/check", `{"policy":"nobody","key":"k"}`, 404},
		{"POST /v1/check", `{"policy":"login","limit":"5/s","key":"k"}`, 400},
		{"POST /v1/check", `{"policy":"login"}`, 400},
		{"POST /v1/check", `{"policy":"login","key":"k","cost":-1}`, 400},
		{"POST /v1/check", `{"policy":"login","key":"k","costs":1}`, 400},
		{"POST /v1/simulate", simulate.GoodRequest, 200},
		{"POST /v1/simulate", `{"limits":["unlimited","leaky_bucket 0/s burst 2","10/s, 1000/h","sliding_window_counter 3/s"],"arrivals":[{"t_us":0,"key":"a"},{"t_us":0},{"t_us":5,"cost":3},{"t_us":9,"cost":0}],"samples":3,"curve_key":""}`, 200},
		{"POST /v1/simulate", `{"limit":"5/s","traffic":"retry storm clients 9 ignore for 9s","seed":7,"instances":"3 shared latency 1ms..9ms","from_us":0}`, 200},
		{"POST /v1/simulate", `{"limit":"5/s","traffic":"burst 9","instances":"3 skew 1s"}`, 200},
		{"POST /v1/simulate", `{"limit":"5/s"}`, 400},
		{"POST /v1/simulate", `{"arrivals":[{"t_us":0}]}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","limits":["5/s"],"arrivals":[{"t_us":0}]}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","arrivals":[{"t_us":-1}]}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","arrivals":[{"t_us":0.5}]}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","arrivals":[{"t_us":0,"cost":1000001}]}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","arrivals":[{"t_us":9007199254740992}]}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","arrivals":[{"t_us":0}],"samples":1001}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","arrivals":[{"t_us":0}],"more":1}`, 400},
		{"POST /v1/simulate", `{"limit":"5/s","arrivals":[` + strings.Repeat(`{"t_us":0},`, simulate.MaxArrivals) + `{"t_us":0}]}`, 413},
		{"POST /v1/simulate", `{"limits":["1/s","2/s","3/s","4/s","5/s","6/s","7/s","8/s","9/s"],"arrivals":[{"t_us":0}]}`, 413},
		{"POST /v1/arrivals", goodLog + "\njunk\n", 200},
		{"POST /v1/arrivals", "junk", 400},
		{"POST /v1/reset", `{"policy":"login","key":"k"}`, 200},
		{"GET /v1/policies", "", 200},
		{"GET /healthz", "", 200},
	} {
		method, path, _ := strings.Cut(tt.door, " ")
		r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(tt.body))
		r.RemoteAddr = "127.0.0.1:4242"
		r.Header.Set("Authorization", "Bearer a token of ours!")
		if r.Header.Set("Content-Type", "application/json"); path == "/v1/arrivals" {
			r.Header.Set("Content-Type", "text/plain")
		}
		route, params, err := router.FindRoute(r)
		if err != nil {
			t.Fatal(tt.door, err)
		}
		asked := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route,
			Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
		good := openapi3filter.ValidateRequest(context.Background(), asked)
		words := tt.status == 404 || path == "/v1/arrivals" // which no schema knows
		if (good == nil) != (tt.status == 200 || tt.status == 429) && !words {
			t.Errorf("%s %.90s: %d, but by the document %v", tt.door, tt.body, tt.status, good)
		}
		r.Body = httptest.NewRequest(method, path, strings.NewReader(tt.body)).Body
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%s %.90s: %d, want %d: %.300s", tt.door, tt.body, w.Code, tt.status, w.Body)
		}
		said := &openapi3filter.ResponseValidationInput{RequestValidationInput: asked, Status: w.Code, Header: w.Header()}
		said.SetBodyBytes(w.Body.Bytes())
		if err := openapi3filter.ValidateResponse(context.Background(), said); err != nil {
			t.Errorf("%s %.90s: the answer is not as documented: %v\n%.300s", tt.door, tt.body, err, w.Body)
		}
	}
}

// TestSnapshotsAreAsDocumented: what events carry.
func TestSnapshotsAreAsDocumented(t *testing.T) {
	doc, _ := document(t)
	s := withOptions(t)
	for range 3 {
		ask(t, s, `{"policy":"two","key":"user:42"}`)
		ask(t, s, `{"policy":"keyed","key":"hunter2"}`)
	}
	text, err := json.Marshal(s.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	if err := doc.Components.Schemas["Snapshot"].Value.VisitJSON(value); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
