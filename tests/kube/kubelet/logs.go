// Container log endpoint of the stub kubelet: one line per second, plus 200 lines of history from before the start. Test
// commands change the rate, add lines or drop the stream.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

const (
	old   = 200
	look  = 200 * time.Millisecond
	batch = 32 * 1024
)

var errDropped = errors.New("the stream was dropped on command")

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
		since, wrong := time.Parse(time.RFC3339, text)
		if wrong != nil {
			err = wrong
		}
		o.since = since
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
	if err := s.write(request.Context(), at, asked, flushed{w, flusher}); errors.Is(err, errDropped) {
		// Without a last chunk, as from a kubelet that was killed.
		panic(http.ErrAbortHandler)
	}
}

// flushed sends each batch of lines at once.
type flushed struct {
	io.Writer
	flusher http.Flusher
}

func (f flushed) Write(bytes []byte) (int, error) {
	defer f.flusher.Flush()
	return f.Writer.Write(bytes)
}

// journal of a container; the run before this one ended where this one begins, and had no commands.
func (s *server) journal(at container, previous bool, commands []logCommand, started time.Time) journal {
	begin := s.start.Add(-old * time.Second)
	if previous {
		return newJournal(at, "previous", begin.Add(-old*time.Second), old)
	}
	log := newJournal(at, "now", begin, math.MaxInt64)
	for _, command := range commands {
		if !command.at.Before(started) {
			log = log.with(command)
		}
	}
	return log
}

// write sends the existing lines, then each new one.
func (s *server) write(ctx context.Context, at container, o options, out io.Writer) error {
	state := s.pods.state(at)
	begun, _ := s.commands.moment(at)
	next, left := int64(-1), int64(math.MaxInt64)
	if o.limit != nil {
		left = *o.limit
	}
	for {
		now, commands := s.commands.moment(at)
		if slices.ContainsFunc(commands, func(c logCommand) bool { return c.Log == "drop" && c.at.After(begun) }) {
			return errDropped
		}
		log := s.journal(at, o.previous, commands, state.started)
		if !o.previous && !state.ended.IsZero() && state.ended.Before(now) {
			now = state.ended
		}
		end := log.count(now)
		if next < 0 {
			next = o.first(log, end)
		}
		for next < end && left > 0 {
			var lines []byte
			for ; next < end && len(lines) < batch; next++ {
				lines = append(lines, line(log, next, o.timestamps)...)
			}
			lines = lines[:min(int64(len(lines)), left)]
			left -= int64(len(lines))
			if _, err := out.Write(lines); err != nil {
				return err
			}
		}
		if left == 0 || !o.follow || o.previous || !state.running {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		started := state.started
		state = s.pods.state(at)
		// The log ends with its container; the next run has another one.
		if state.ended.IsZero() && !state.running || !state.started.Equal(started) {
			return nil
		}
	}
}

// first is the number of the first requested line.
func (o options) first(log journal, end int64) int64 {
	next := int64(0)
	if o.tail != nil {
		next = max(0, end-*o.tail)
	}
	for next < end && log.of(next).time(next).Before(o.since) {
		next++
	}
	return next
}

func line(log journal, number int64, timestamps bool) string {
	s := log.of(number)
	stamp := ""
	if timestamps {
		stamp = s.time(number).UTC().Format("2006-01-02T15:04:05.000000000Z") + " "
	}
	return stamp + s.text(number) + "\n"
}
