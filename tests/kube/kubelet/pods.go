// State of containers, from the apiserver.
package main

import (
	"encoding/json"
	"net/http"
	"time"
)

// pods are looked up in an apiserver, if there is one.
type pods struct{ api string }

// state of a container.
type state struct {
	running bool
	// Whether its process reads its input.
	reads bool
	// Time of its start, if it is known.
	started time.Time
	// Time of its end; zero while it runs.
	ended time.Time
	// Whether there was a run before this one.
	previous bool
	// Why it has not started.
	waiting string
}

type containerStatus struct {
	Name  string
	State struct {
		Running    *struct{ StartedAt time.Time }
		Terminated *struct{ StartedAt, FinishedAt time.Time }
		Waiting    *struct{ Reason string }
	}
	LastState struct{ Terminated *struct{} }
}

type containerSpec struct {
	Name  string
	Stdin bool
}

type pod struct {
	Spec   struct{ Containers, EphemeralContainers []containerSpec }
	Status struct {
		ContainerStatuses, InitContainerStatuses, EphemeralContainerStatuses []containerStatus
	}
}

// state of a container. Without an apiserver each of them runs, has run before, and reads.
func (p pods) state(at container) state {
	if p.api == "" {
		return state{running: true, reads: true, previous: true}
	}
	found, err := p.get(at)
	if err != nil {
		return state{waiting: err.Error()}
	}
	var now state
	for _, of := range append(found.Spec.Containers, found.Spec.EphemeralContainers...) {
		now.reads = now.reads || (of.Name == at.name && of.Stdin)
	}
	lists := [][]containerStatus{found.Status.ContainerStatuses, found.Status.InitContainerStatuses, found.Status.EphemeralContainerStatuses}
	now.waiting = "ContainerCreating"
	for _, list := range lists {
		for _, status := range list {
			if status.Name != at.name {
				continue
			}
			now.previous = status.LastState.Terminated != nil
			switch {
			case status.State.Running != nil:
				now.running = true
				now.started = status.State.Running.StartedAt
			case status.State.Terminated != nil:
				now.started, now.ended = status.State.Terminated.StartedAt, status.State.Terminated.FinishedAt
			case status.State.Waiting != nil:
				now.waiting = status.State.Waiting.Reason
			}
		}
	}
	return now
}

func (p pods) get(at container) (found pod, err error) {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(p.api + "/api/v1/namespaces/" + at.namespace + "/pods/" + at.pod + "?pretty=0")
	if err != nil {
		return found, err
	}
	defer response.Body.Close()
	return found, json.NewDecoder(response.Body).Decode(&found)
}
