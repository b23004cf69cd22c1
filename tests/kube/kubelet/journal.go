// Journal of a container: its log as stretches, each with its own rate. Lines are not stored: their time and text follow from
// their number.
package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

var (
	levels = []string{"info", "info", "debug", "info", "warn", "error"}
	words  = []string{"listening on :8080", "GET /healthz 200 1ms", "cache refreshed", "GET /api/v1/items 200 12ms", "flushed 128 spans"}
)

// stretch of lines at one rate.
type stretch struct {
	// Number of the first line.
	first int64
	start time.Time
	every time.Duration
	// Maximum number of lines.
	most int64
	text func(number int64) string
}

func (s stretch) time(number int64) time.Time {
	return s.start.Add(time.Duration(number-s.first) * s.every)
}

type journal []stretch

// newJournal of lines in the style of the stub: a line a second, without end or this many.
func newJournal(at container, run string, start time.Time, most int64) journal {
	text := func(number int64) string {
		level := levels[number%int64(len(levels))]
		return fmt.Sprintf("level=%s pod=%s/%s container=%s run=%s n=%d msg=%q", level, at.namespace, at.pod, at.name, run, number, words[number%int64(len(words))])
	}
	return journal{{start: start, every: time.Second, most: most, text: text}}
}

func inJSON(number int64) string {
	level := levels[number%int64(len(levels))]
	return fmt.Sprintf("{\"ts\":%d,\"level\":%q,\"line\":%d,\"msg\":%q}", number, level, number, words[number%int64(len(words))])
}

// count returns the number of lines written up to and including a time.
func (j journal) count(now time.Time) int64 {
	for _, s := range slices.Backward(j) {
		if !s.start.After(now) {
			return s.first + min(int64(now.Sub(s.start)/s.every)+1, s.most)
		}
	}
	return 0
}

// of returns the stretch of a line that is written.
func (j journal) of(number int64) stretch {
	for _, s := range slices.Backward(j) {
		if s.first <= number {
			return s
		}
	}
	return j[0]
}

// cut removes the lines from a time on; the number of the next one.
func (j journal) cut(at time.Time) (journal, int64) {
	first := j.count(at)
	return slices.DeleteFunc(slices.Clone(j), func(s stretch) bool { return !s.start.Before(at) }), first
}

// with carries out a command.
func (j journal) with(c logCommand) journal {
	switch c.Log {
	case "pace":
		return j.pace(c)
	case "line":
		return j.say(c.at, c.Text)
	case "bytes":
		return j.say(c.at, string(c.Base64))
	}
	return j
}

// pace changes rate and style; a backlog exists already.
func (j journal) pace(c logCommand) journal {
	every := time.Second / time.Duration(max(1, c.PerSecond))
	start := c.at.Add(-every * time.Duration(c.Backlog))
	text, most := j[len(j)-1].text, int64(math.MaxInt64)
	if c.Style == "json" {
		text = inJSON
	}
	if c.PerSecond == 0 {
		most = 0
	}
	j, first := j.cut(start)
	return append(j, stretch{first: first, start: start, every: every, most: most, text: text})
}

// say writes one line, then continues as before.
func (j journal) say(at time.Time, text string) journal {
	before := j[len(j)-1]
	j, first := j.cut(at)
	j = append(j, stretch{first: first, start: at, every: time.Second, most: 1, text: func(int64) string { return text }})
	next := at.Add(1)
	if due := before.time(first); first >= before.first && due.After(next) {
		next = due
	}
	most := before.most - min(before.most, max(0, first-before.first))
	return append(j, stretch{first: first + 1, start: next, every: before.every, most: most, text: before.text})
}
