// Command client runs one scenario against a gateway, through the client that oapi-codegen generated.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

const deadline = 2 * time.Minute

// A report is the line that the command prints.
type report struct {
	Scenario string  `json:"scenario"`
	Status   int     `json:"status"`
	Code     *string `json:"code"`
	Param    *string `json:"param"`
	Text     *string `json:"text"`
	TxHash   *string `json:"txHash"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) > 1 && os.Args[1] == "vectors" {
		return checkVectors(os.Getenv("VECTORS"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	buyer, err := newBuyer(os.Getenv("GATEWAY_URL"), os.Getenv("PAYER_KEY"))
	if err != nil {
		return err
	}
	scenario := os.Getenv("SCENARIO")
	answer, err := buyer.play(ctx, scenario)
	if err != nil {
		return err
	}
	line, err := answer.report(scenario)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(line)
}
