package ops_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// README.md of the api folder has the lines between the marks.
func ExampleNewClient() {
	ctx := context.Background()
	service := &server.Server{Demo: true}
	if err := service.Start(ctx); err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(service.Handler())
	opsURL, opsKey := web.URL+server.OpsPath, service.Ready().OpsKey

	// README begins
	desk, err := ops.NewClient(opsURL, opsKey)
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range desk.Orders.Review(ctx) { // orders in bidding
		if err != nil {
			log.Fatal(err)
		}
		if !row.WaitsForQuote(desk.Now()) {
			continue
		}
		order, err := desk.Orders.Get(ctx, row.UUID) // with its missions
		if err != nil {
			log.Fatal(err)
		}
		quote, err := desk.Quotes.Issue(ctx, order.UUID, order.SuggestQuote(14, desk.Now()))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(order.OrderCode, quote.QuoteName)
	}
	// README ends
	web.Close()
	if err := service.Close(); err != nil {
		log.Fatal(err)
	}

	// Output:
	// ORD-100249 Standard
	// ORD-100248 Standard
	// ORD-100236 Standard 4
	// ORD-100228 Standard 3
}

func TestTheExampleInTheREADMEIsThisExample(t *testing.T) {
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(example), "\t// README begins\n")
	body, _, _ = strings.Cut(body, "\t// README ends\n")
	want := strings.ReplaceAll("\n"+strings.TrimSuffix(body, "\n"), "\n\t", "\n")
	if !strings.Contains(string(readme), "\n```go"+want+"\n```\n") {
		t.Errorf("README.md is to have%s", want)
	}
}
