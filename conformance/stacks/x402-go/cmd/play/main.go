// Command play plays one scenario with x402's client for Go, which reads bodies as JSON without types.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"

	"client"
)

const (
	network  = "eip155:84532"
	chat     = "/v1/chat/completions"
	text     = "/v1/completions"
	model    = "alder/alder-mini"
	priceMax = "100000"
)

var gateway = os.Getenv("GATEWAY_URL")

type object = map[string]any

type message struct {
	Content   *string          `json:"content"`
	ToolCalls []map[string]any `json:"tool_calls"`
}

type body struct {
	Choices []struct {
		Text    *string
		Message json.RawMessage
	}
	Error json.RawMessage
}

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
	if err := run(os.Getenv("SCENARIO")); err != nil {
		log.Fatal(err)
	}
}

func run(scenario string) error {
	token, err := findToken()
	if err != nil {
		return err
	}
	payer, err := client.New(os.Getenv("PAYER_KEY"), network, token, priceMax)
	if err != nil {
		return err
	}
	response, err := play(payer, scenario)
	if err != nil {
		return err
	}
	line, err := describe(scenario, response)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(line)
}

// findToken reads the token of this gateway from its first offer, because the client pays only in allowed tokens.
func findToken() (string, error) {
	response, err := post(http.DefaultClient, chat, ask("What is 6 times 7?"))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	// A stub makes no offer. Then the token does not matter.
	offer := struct{ Asset string }{Asset: network}
	err = decode(response.Header.Get("X-PAYMENT-REQUIRED"), &offer)
	return offer.Asset, err
}

func play(payer *http.Client, scenario string) (*http.Response, error) {
	request := ask("What is 6 times 7?")
	switch scenario {
	case "pay-text":
		return post(payer, text, object{"model": model, "prompt": "Count to three."})
	case "pay-tools":
		return buyWithTool(payer)
	case "error-400":
		request["temperature"] = 3
	case "error-413":
		request = ask(strings.Repeat("x", 2_000_000))
	}
	return post(payer, chat, request)
}

func buyWithTool(payer *http.Client) (*http.Response, error) {
	request := ask("What is the status of order A-1042?")
	request["tools"] = []object{{"type": "function", "function": object{
		"name":        "order_status",
		"description": "Looks up the status of an order by its number",
		"parameters": object{
			"type":       "object",
			"properties": object{"order_id": object{"type": "string"}},
			"required":   []string{"order_id"},
		},
	}}}
	response, err := post(payer, chat, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var called body
	if err := json.NewDecoder(response.Body).Decode(&called); err != nil {
		return nil, err
	}
	var answer message
	if err := json.Unmarshal(called.Choices[0].Message, &answer); err != nil {
		return nil, err
	}
	result := object{"role": "tool", "tool_call_id": answer.ToolCalls[0]["id"], "content": `{"status": "shipped"}`}
	request["messages"] = append(request["messages"].([]any), called.Choices[0].Message, result)
	return post(payer, chat, request)
}

func ask(content string) object {
	return object{"model": model, "messages": []any{object{"role": "user", "content": content}}}
}

func post(payer *http.Client, path string, value any) (*http.Response, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return payer.Post(gateway+path, "application/json", bytes.NewReader(text))
}

func describe(scenario string, response *http.Response) (report, error) {
	defer response.Body.Close()
	line := report{Scenario: scenario, Status: response.StatusCode}
	var read body
	if err := json.NewDecoder(response.Body).Decode(&read); err != nil {
		return line, err
	}
	var fault struct{ Code, Param *string }
	// The error of an offer is a text.
	if json.Unmarshal(read.Error, &fault) == nil {
		line.Code, line.Param = fault.Code, fault.Param
	}
	if len(read.Choices) > 0 {
		var answer message
		line.Text = read.Choices[0].Text
		if line.Text == nil && json.Unmarshal(read.Choices[0].Message, &answer) == nil {
			line.Text = answer.Content
		}
	}
	var receipt struct{ TxHash *string }
	err := decode(response.Header.Get("X-PAYMENT-RESPONSE"), &receipt)
	line.TxHash = receipt.TxHash
	return line, err
}

// decode reads the JSON of a header. An absent header changes nothing.
func decode(header string, value any) error {
	if header == "" {
		return nil
	}
	text, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
