// Log options: an invalid option is an error, also if options after it are valid.
package main

import (
	"net/url"
	"testing"
	"time"
)

func TestInvalidOptionIsAnErrorBesideAValidSinceTime(t *testing.T) {
	for _, option := range []string{"tailLines", "limitBytes", "sinceSeconds", "sinceTime"} {
		query := url.Values{"sinceTime": {"2026-01-02T03:04:05Z"}}
		query.Set(option, "x")
		if _, err := parse(query, time.Now()); err == nil {
			t.Errorf("%s=x is accepted", option)
		}
	}
	options, err := parse(url.Values{"sinceTime": {"2026-01-02T03:04:05Z"}, "tailLines": {"3"}}, time.Now())
	if err != nil || *options.tail != 3 || options.since.IsZero() {
		t.Errorf("valid options: %+v, %v", options, err)
	}
}
