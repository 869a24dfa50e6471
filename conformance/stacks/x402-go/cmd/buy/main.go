// Command buy buys one chat completion with x402's client for Go, within the limits that the client can keep.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"client"
)

func main() {
	if err := buy(); err != nil {
		log.Fatal(err)
	}
}

func buy() error {
	key, err := os.ReadFile(os.Getenv("CONFORMANCE_KEY_FILE"))
	if err != nil {
		return err
	}
	http, err := client.New(strings.TrimSpace(string(key)), os.Getenv("CONFORMANCE_NETWORK"),
		os.Getenv("CONFORMANCE_TOKEN"), os.Getenv("CONFORMANCE_PRICE_MAX"))
	if err != nil {
		return err
	}
	prompt := cmp.Or(os.Getenv("PROMPT"), "Say pong.")
	body, err := json.Marshal(map[string]any{
		"model":    os.Getenv("CONFORMANCE_MODEL"),
		"messages": []map[string]string{{"role": "user", "content": prompt}},
	})
	if err != nil {
		return err
	}
	url := os.Getenv("CONFORMANCE_URL") + "/v1/chat/completions"
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	var completion map[string]any
	return json.NewDecoder(response.Body).Decode(&completion)
}
