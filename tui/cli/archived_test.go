package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A service can archive an order and leave its quotes open.
func TestQuotesOfAnArchivedOrderAreNotPrintedAsOpen(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/v1/public/orders/ORD-1": // by code only
			fmt.Fprint(w, `{"data":{"uuid":"o","orderCode":"ORD-1","status":"archived","missions":[]}}`)
		case "/api/v1/public/orders/ORD-1/missions":
			fmt.Fprint(w, `{"data":[]}`)
		case "/api/v2/getorder/ORD-1", "/api/v2/getorder/o":
			fmt.Fprint(w, `{"id":"o","orderCode":"ORD-1","orderStatus":"quoteReceived","status":"quoteReceived",`+
				`"quotes":[{"quoteId":"q","quoteName":"Express","finalPrice":10,"currency":"EUR","deliveryBy":"2 days"}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message":"not found"}`)
		}
	}))
	defer service.Close()
	for _, tt := range []struct {
		command string
		want    string
	}{
		{"list quotes --of ORD-1 --output csv", ",closed,"},
		{"list quotes --of ORD-1 --output json", `"status":"closed"`},
		{"quote compare ORD-1", "no open quotes\n\nclosed: Express"},
		{"order show ORD-1", "Closed"},
	} {
		output, err := runProgram(t, service, strings.Fields(tt.command)...)
		if err != nil || !strings.Contains(output, tt.want) {
			t.Errorf("%s: %v\n%s", tt.command, err, output)
		}
	}
}

// A key can be revoked while a list is read.
func TestAListOfOrdersThatIsRefusedHalfwayIsNotComplete(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/v1/public/orders":
			fmt.Fprint(w, `{"data":[]}`)
		case "/api/v2/getorderslist":
			var query struct{ Page int }
			if err := json.NewDecoder(r.Body).Decode(&query); err != nil {
				t.Error(err)
			}
			if query.Page > 0 {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"message":"the key was revoked"}`)
				return
			}
			fmt.Fprint(w, `{"orders":[{"id":"o","orderCode":"ORD-1","orderName":"Quarry","orderStatus":"completed","status":"completed"}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message":"not found"}`)
		}
	}))
	defer service.Close()
	output, err := runProgram(t, service, "list", "orders", "--output", "csv")
	if err == nil || !strings.Contains(err.Error(), "the key was revoked") {
		t.Errorf("the list is complete: %v\n%s", err, output)
	}
	if !strings.Contains(output, "ORD-1") {
		t.Errorf("the order that was read is not printed:\n%s", output)
	}
}
