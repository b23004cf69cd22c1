// client-go's shared informer of pods: time until it has synced, and its cost.
//
// Prints one line of JSON, like the native program of this project (../native).
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	url := flag.String("url", "", "the apiserver")
	seconds := flag.Float64("watch-seconds", 0, "how long to watch after the sync")
	flag.Parse()
	if err := run(*url, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(url string, seconds float64) error {
	clientset, err := kubernetes.NewForConfig(&rest.Config{Host: url})
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(clientset, 0)
	pods := factory.Core().V1().Pods().Informer()
	var events atomic.Int64
	if seconds > 0 {
		count := func() { events.Add(1) }
		if _, err := pods.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(_ any, initial bool) {
				if !initial {
					count()
				}
			},
			UpdateFunc: func(_, _ any) { count() },
			DeleteFunc: func(any) { count() },
		}); err != nil {
			return err
		}
	}
	stop := make(chan struct{})
	defer close(stop)

	start := time.Now()
	factory.Start(stop)
	// Not WaitForCacheSync: it looks ten times a second.
	for !pods.HasSynced() {
		if time.Since(start) > 5*time.Minute {
			return fmt.Errorf("not synced within five minutes")
		}
		time.Sleep(time.Millisecond)
	}
	sync := time.Since(start)
	cpu := cpuMilliseconds()
	// What was needed only for a while may be given back.
	time.Sleep(time.Second)
	report := map[string]any{
		"milliseconds": float64(sync.Microseconds()) / 1000,
		"cpu":          cpu,
		"objects":      len(pods.GetStore().ListKeys()),
		"resident":     status("VmRSS:"),
		"peak":         status("VmHWM:"),
	}
	if seconds > 0 {
		cpu, before := cpuMilliseconds(), events.Load()
		time.Sleep(time.Duration(seconds * float64(time.Second)))
		report["watchCpu"] = cpuMilliseconds() - cpu
		report["events"] = events.Load() - before
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

// cpuMilliseconds is what all threads have used so far: utime and stime, in hundredths of a second.
func cpuMilliseconds() float64 {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) * 10
}

// status is a line of /proc/self/status, in bytes.
func status(name string) float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name); found {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kilobytes * 1024
		}
	}
	return 0
}
