// Logs: a line a second, including the last 200 before the start.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	old   = 200
	every = time.Second
	look  = 200 * time.Millisecond
)

var (
	levels = []string{"info", "info", "debug", "info", "warn", "error"}
	words  = []string{"listening on :8080", "GET /healthz 200 1ms", "cache refreshed", "GET /api/v1/items 200 12ms", "flushed 128 spans"}
)

// options of a log, as an apiserver passes them on.
type options struct {
	follow, previous, timestamps bool
	tail, limit                  *int64
	since                        time.Time
}

func parse(query url.Values, now time.Time) (o options, err error) {
	flag := func(name string) bool { set, _ := strconv.ParseBool(query.Get(name)); return set }
	number := func(name string) *int64 {
		text := query.Get(name)
		if text == "" {
			return nil
		}
		value, wrong := strconv.ParseInt(text, 10, 64)
		if wrong != nil {
			err = wrong
		}
		return &value
	}
	o = options{follow: flag("follow"), previous: flag("previous"), timestamps: flag("timestamps"), tail: number("tailLines"), limit: number("limitBytes")}
	if seconds := number("sinceSeconds"); seconds != nil {
		o.since = now.Add(-time.Duration(*seconds) * time.Second)
	}
	if text := query.Get("sinceTime"); text != "" {
		if o.since, err = time.Parse(time.RFC3339, text); err != nil {
			return o, err
		}
	}
	return o, err
}

func (s *server) logs(w http.ResponseWriter, request *http.Request) {
	asked, err := parse(request.URL.Query(), time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	at := of(request)
	now := s.pods.state(at)
	switch {
	case asked.previous && !now.previous:
		http.Error(w, fmt.Sprintf("previous terminated container %q in pod %q not found", at.name, at.pod), http.StatusBadRequest)
		return
	case !asked.previous && !now.running && now.ended.IsZero() && !now.previous:
		http.Error(w, fmt.Sprintf("container %q in pod %q is waiting to start: %s", at.name, at.pod, now.waiting), http.StatusBadRequest)
		return
	}
	w.Header().Set("content-type", "text/plain")
	flusher := w.(http.Flusher)
	// So that a log without requests for old lines has its headers.
	flusher.Flush()
	// A reader that leaves is no error.
	_ = s.write(request.Context(), at, asked, flushed{w, flusher})
}

// flushed sends each line at once.
type flushed struct {
	io.Writer
	flusher http.Flusher
}

func (f flushed) Write(bytes []byte) (int, error) {
	defer f.flusher.Flush()
	return f.Writer.Write(bytes)
}

// time of a line; the run before this one ended where this one begins.
func (s *server) time(number int64, previous bool) time.Time {
	if previous {
		number -= old
	}
	return s.start.Add(time.Duration(number-old) * every)
}

// line that a container writes.
func (s *server) line(at container, number int64, o options) string {
	stamp := ""
	if o.timestamps {
		stamp = s.time(number, o.previous).UTC().Format("2006-01-02T15:04:05.000000000Z") + " "
	}
	run := "now"
	if o.previous {
		run = "previous"
	}
	level := levels[number%int64(len(levels))]
	return fmt.Sprintf("%slevel=%s pod=%s/%s container=%s run=%s n=%d msg=%q\n", stamp, level, at.namespace, at.pod, at.name, run, number, words[number%int64(len(words))])
}

// write sends the existing lines, then each new one.
func (s *server) write(ctx context.Context, at container, o options, out io.Writer) error {
	written := func(now time.Time) int64 {
		if o.previous {
			return old
		}
		return old + int64(now.Sub(s.start)/every)
	}
	state := s.pods.state(at)
	end := func() int64 {
		if !state.ended.IsZero() {
			return max(0, min(written(state.ended), written(time.Now())))
		}
		return written(time.Now())
	}
	next := int64(0)
	if o.tail != nil {
		next = max(0, end()-*o.tail)
	}
	for ; next < end() && s.time(next, o.previous).Before(o.since); next++ {
	}
	left := int64(-1)
	if o.limit != nil {
		left = *o.limit
	}
	for {
		for ; next < end(); next++ {
			line := s.line(at, next, o)
			if left >= 0 && int64(len(line)) > left {
				line = line[:left]
			}
			if _, err := io.WriteString(out, line); err != nil {
				return err
			}
			if left >= 0 {
				if left -= int64(len(line)); left == 0 {
					return nil
				}
			}
		}
		if !o.follow || o.previous || !state.running {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		if state = s.pods.state(at); state.ended.IsZero() && !state.running {
			return nil
		}
	}
}
