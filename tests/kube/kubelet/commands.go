// Commands to containers, like those of the embedded apiserver: rate, single lines, dropped streams.
package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// logCommand is for the containers that it names; an empty name means each of them.
type logCommand struct {
	// "pace", "line", "bytes" or "drop".
	Log string
	// The line of "line".
	Text string
	// The line of "bytes".
	Base64 []byte
	// Rate of "pace", the style of its lines ("" or "json"), and how many of them exist already.
	PerSecond int64 `json:"per_second"`
	Style     string
	Backlog   int64

	Namespace, Pod, Container string

	at time.Time
}

func (c logCommand) isFor(at container) bool {
	fits := func(wanted, found string) bool { return wanted == "" || wanted == found }
	return fits(c.Namespace, at.namespace) && fits(c.Pod, at.pod) && fits(c.Container, at.name)
}

// commands since the start, in their order.
type commands struct {
	mutex sync.Mutex
	all   []logCommand
	last  time.Time
}

// now is later than each earlier time that it returned.
func (c *commands) now() time.Time {
	now := time.Now()
	if !now.After(c.last) {
		now = c.last.Add(1)
	}
	c.last = now
	return now
}

// moment returns the time, and the commands for a container until then: each later command has a later time.
func (c *commands) moment(at container) (time.Time, []logCommand) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var found []logCommand
	for _, one := range c.all {
		if one.isFor(at) {
			found = append(found, one)
		}
	}
	return c.now(), found
}

// receive serves POST /admin/logs.
func (c *commands) receive(w http.ResponseWriter, request *http.Request) {
	var one logCommand
	decoder := json.NewDecoder(request.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&one); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !slices.Contains([]string{"pace", "line", "bytes", "drop"}, one.Log) || !slices.Contains([]string{"", "json"}, one.Style) {
		http.Error(w, "unknown command or style: "+one.Log+" "+one.Style, http.StatusBadRequest)
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	one.at = c.now()
	c.all = append(c.all, one)
}
