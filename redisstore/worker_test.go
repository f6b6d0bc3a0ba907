package redisstore_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
)

// A job is what a worker, a process of its own, does: requests for each target by
// several callers at once.
type job struct {
	Addr     string // of the server; empty is the process's own memory
	Zone     string // time zone of the process; empty is that of the test
	Limits   []string
	Callers  int           // for each target
	Requests int           // of each caller, or
	For      time.Duration // for how long
}

// A result is, for each target, when the store decided each request, in microseconds
// since the epoch, negative if it was refused. Refusals that the process remembered
// are left out: nobody was asked.
type result [][]int64

const workerVariable = "AFORO_TEST_WORKER"

func TestMain(m *testing.M) {
	if text := os.Getenv(workerVariable); text != "" {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// work is a worker's main.
func work(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	store, err := j.store()
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	decided, err := j.run(store)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(decided)
}

func (j *job) store() (aforo.Store, error) {
	if j.Addr == "" {
		return aforo.NewMemory(), nil
	}
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{j.Addr}, DisableRetry: true})
	if err != nil {
		return nil, err
	}
	return redisstore.New(client, redisstore.WithBudget(unhurried))
}

func (j *job) run(store aforo.Store) (result, error) {
	decided := make(result, len(j.Limits))
	var mutex sync.Mutex
	var failed error
	var callers sync.WaitGroup
	for i, limits := range j.Limits {
		for range j.Callers {
			callers.Go(func() {
				own, err := j.ask(store, take(fmt.Sprint("key ", i), limits))
				mutex.Lock()
				defer mutex.Unlock()
				decided[i] = append(decided[i], own...)
				if err != nil {
					failed = err
				}
			})
		}
	}
	callers.Wait()
	return decided, failed
}

// ask is one caller.
func (j *job) ask(store aforo.Store, call aforo.Call) (decided []int64, err error) {
	until := time.Now().Add(j.For)
	for n := 0; n < j.Requests || j.Requests == 0 && time.Now().Before(until); n++ {
		verdicts := make([]aforo.Verdict, len(call.Limits))
		if err := store.Do(context.Background(), call, verdicts); err != nil {
			return nil, err
		}
		switch at := verdicts[0].At; {
		case verdicts[0].Source == aforo.SourceRemembered:
			time.Sleep(100 * time.Microsecond) // or it would do nothing but remember
		case allowed(verdicts):
			decided = append(decided, at)
		default:
			decided = append(decided, -at)
		}
	}
	return decided, nil
}

// inProcesses has so many processes do a job at the same time, and returns what was
// decided for each target, by any of them.
func inProcesses(t *testing.T, processes int, j job) result {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var starts []func() (result, error)
	for range processes {
		starts = append(starts, startWorker(t, string(text), j.Zone))
	}
	results := make(chan result)
	failures := make(chan error)
	for _, start := range starts {
		go func() {
			decided, err := start()
			if err != nil {
				failures <- err
				return
			}
			results <- decided
		}()
	}
	all := make(result, len(j.Limits))
	for range processes {
		select {
		case decided := <-results:
			for i := range all {
				all[i] = append(all[i], decided[i]...)
			}
		case err := <-failures:
			t.Error(err)
		}
	}
	return all
}

// startWorker starts a process that has its connections and waits to be started.
func startWorker(t *testing.T, text, zone string) (start func() (result, error)) {
	t.Helper()
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), workerVariable+"="+text)
	if zone != "" {
		worker.Env = append(worker.Env, "TZ="+zone)
	}
	worker.Stderr = os.Stderr
	in, err := worker.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = worker.Process.Kill()
		_ = worker.Wait()
	})
	lines := bufio.NewReader(out)
	if ready, err := lines.ReadString('\n'); err != nil || ready != "ready\n" {
		t.Fatalf("a worker said %q: %v", ready, err)
	}
	return func() (decided result, err error) {
		if _, err := fmt.Fprintln(in); err != nil {
			return nil, err
		}
		if err := json.NewDecoder(lines).Decode(&decided); err != nil {
			return nil, fmt.Errorf("a worker ended without a result: %w", err)
		}
		return decided, nil
	}
}
