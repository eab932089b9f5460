// Asks a server at a steady rate, whether answers come or not, and prints how long they took, as JSON.
//
//	steady RATE SECONDS CONNECTIONS ADDRESS TARGETS
//
// TARGETS is a JSON list of requests with method, path, token, body and further headers, of which each time another one
// is sent. The time of a request counts from when it is due, so that a server that stalls is charged with all requests
// that should have come meanwhile (no coordinated omission).
package main

import (
	"encoding/json"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type target struct {
	Method, Path, Token, Body string
	Headers                   map[string]string
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 {
		log.Fatalf("%s is no whole number", text)
	}
	return value
}

func (target target) send(client *http.Client, address string) (int, error) {
	request, err := http.NewRequest(target.Method, address+target.Path, strings.NewReader(target.Body))
	if err != nil {
		return 0, err
	}
	for name, value := range target.Headers {
		request.Header.Set(name, value)
	}
	if target.Token != "" {
		request.Header.Set("Authorization", "Bearer "+target.Token)
	}
	if target.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

func main() {
	if len(os.Args) != 6 {
		log.Fatal("usage: steady RATE SECONDS CONNECTIONS ADDRESS TARGETS")
	}
	rate, seconds, connections := number(os.Args[1]), number(os.Args[2]), number(os.Args[3])
	file, err := os.ReadFile(os.Args[5])
	if err != nil {
		log.Fatal(err)
	}
	var targets []target
	if err := json.Unmarshal(file, &targets); err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	count := rate * seconds
	// Long enough that no request that is due ever waits to be written down.
	due := make(chan time.Time, count)
	statuses := map[string]int{}
	var took []float64
	var lock sync.Mutex
	var workers sync.WaitGroup
	for worker := 0; worker < connections; worker++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for at := range due {
				status, err := targets[rand.Intn(len(targets))].send(client, os.Args[4])
				milliseconds := float64(time.Since(at).Microseconds()) / 1000
				lock.Lock()
				if err != nil {
					statuses["none"]++
				} else {
					statuses[strconv.Itoa(status)]++
				}
				took = append(took, milliseconds)
				lock.Unlock()
			}
		}()
	}
	start := time.Now()
	for number := 0; number < count; number++ {
		at := start.Add(time.Duration(number) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(at))
		due <- at
	}
	close(due)
	workers.Wait()
	sort.Float64s(took)
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"statuses": statuses, "p50": took[len(took)/2], "p99": took[len(took)*99/100], "most": took[len(took)-1],
	})
}
