// This program tests the Go client that oapi-codegen generates from api/openapi.yaml. It places an order, accepts a
// quote for it, delivers the data and completes the order. At the first unexpected response it exits with status 1.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
)

const kml = `<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Mast</name><Point>` +
	`<coordinates>175.1234567,-37.7654321</coordinates></Point></Placemark></kml>`

var ctx = context.Background()

func main() {
	log.SetFlags(0)
	ops := connect(os.Getenv("OPS_KEY"))
	client := connect(issueKey(ops))

	order := place(client, parseSite(client))
	findInList(client, order)
	checkWebhooks(client)
	quote := acceptQuote(ops, client, order)
	fly(ops, order.Missions[0])
	checkDelivery(client, order.Missions[0])
	complete(ops, client, order)
	fmt.Printf("  %s is completed, for %.2f %s\n", order.OrderCode, quote.FinalPrice, quote.Currency)
}

// issueKey creates an account and returns an API key of it with all scopes.
func issueKey(ops *ClientWithResponses) string {
	account := must(ops.OpsCreateAccountWithResponse(ctx, AccountInput{CompanyName: "Clients Ltd"})).JSON201.Data
	issued := must(ops.OpsIssueKeyWithResponse(ctx, account.Uuid, KeyInput{
		Scopes: []Scope{"orders:read", "orders:write", "files:read", "webhooks:read", "webhooks:write"},
	})).JSON201.Data
	return issued.Key
}

// parseSite sends a survey file to the service and returns its placemark. The coordinates must have all digits of the
// file.
func parseSite(client *ClientWithResponses) Placemark {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	io.WriteString(must(w.CreateFormFile("file", "mast.kml")), kml)
	w.Close()
	marks := must(client.ParseKMLWithBodyWithResponse(ctx, w.FormDataContentType(), &form)).JSON200.Data.Placemarks
	if p := marks[0].LocationMap[0]; p.Lat != -37.7654321 || p.Lng != 175.1234567 {
		log.Fatalf("the coordinates are %v", p)
	}
	return marks[0]
}

// place places an order for a site and returns the order as the service stored it.
func place(client *ClientWithResponses, site Placemark) OrderDetail {
	body := orderRequest(site)
	code := placeTwice(client, body)
	checkNegativeArea(client, body)
	order := must(client.GetOrderWithResponse(ctx, code)).JSON200.Data
	if m := order.Missions[0]; m.AreaSize != 123456.789 || m.LocationMap[0].Lng != 175.1234567 {
		log.Fatalf("the mission was stored as %v, %v", m.AreaSize, m.LocationMap)
	}
	return order
}

func orderRequest(site Placemark) CreateOrderRequest {
	return CreateOrderRequest{
		Order: OrderInput{
			CompanyName: "Clients Ltd", OrderName: "Mast", OrderType: "singleLocation", Sensors: []Sensor{"rgbSensor"},
			Deliverables: []Deliverable{"_2dMap"}, MissionObjective: "assetInspection", IndustryAssetType: "telecom",
			StartDate: time.Now().AddDate(0, 0, 7), Deadline: time.Now().AddDate(0, 1, 0),
		},
		Missions: []MissionInput{{
			MissionName: "Mast", MissionType: "asset", Country: "New Zealand", LocationLabel: site.LocationLabel,
			AreaSize: 123456.789, LocationMap: site.LocationMap,
		}},
	}
}

// placeTwice sends the request twice with one idempotency key and returns the code of the order. The service must
// place only one order.
func placeTwice(client *ClientWithResponses, body CreateOrderRequest) string {
	key := uuid.NewString()
	placed := must(client.CreateOrderWithResponse(ctx, &CreateOrderParams{IdempotencyKey: &key}, body)).JSON201.Data
	again := must(client.CreateOrderWithResponse(ctx, &CreateOrderParams{IdempotencyKey: &key}, body)).JSON201.Data
	if placed.OrderCode != again.OrderCode {
		log.Fatalf("one key placed %s and %s", placed.OrderCode, again.OrderCode)
	}
	return placed.OrderCode
}

// checkNegativeArea checks that the service refuses a mission with a negative area and names the member.
func checkNegativeArea(client *ClientWithResponses, body CreateOrderRequest) {
	body.Missions = []MissionInput{body.Missions[0]}
	body.Missions[0].AreaSize = -1
	refused := must(client.CreateOrderWithResponse(ctx, &CreateOrderParams{}, body)).JSON400
	if refused == nil || (*refused.Data.Errors)[0].Field != "missions[0].areaSize" {
		log.Fatalf("a negative area was answered with %v", refused)
	}
}

// findInList reads the list of orders, one order per page, until a page has the order.
func findInList(client *ClientWithResponses, order OrderDetail) {
	limit := Limit(1)
	params := ListOrdersParams{Limit: &limit}
	for {
		page := must(client.ListOrdersWithResponse(ctx, &params)).JSON200.Data
		if len(page.Data) == 1 && page.Data[0].OrderCode == order.OrderCode {
			return
		}
		if !page.HasNextPage {
			log.Fatalf("%s is not in the list", order.OrderCode)
		}
		params.Cursor = page.NextCursor
	}
}

// checkWebhooks registers an endpoint, reads its log, which must be empty, and deletes the endpoint.
func checkWebhooks(client *ClientWithResponses) {
	registration := CreateWebhookRequest{Url: "https://client.example/hook"}
	endpoint := must(client.CreateWebhookWithResponse(ctx, registration)).JSON201.Data
	if endpoint.Secret == "" || endpoint.LastStatus != nil {
		log.Fatalf("the new endpoint is %+v", endpoint)
	}
	callbacks := must(client.ListDeliveriesWithResponse(ctx, endpoint.Uuid, &ListDeliveriesParams{})).JSON200.Data.Data
	if len(callbacks) != 0 {
		log.Fatalf("the log of the new endpoint has %v", callbacks)
	}
	must(client.DeleteWebhookWithResponse(ctx, endpoint.Uuid))
	deleted := must(client.GetWebhookWithResponse(ctx, endpoint.Uuid))
	if deleted.JSON404 == nil || deleted.JSON404.Data.Code != "not_found" {
		log.Fatalf("reading the deleted endpoint returned %s", deleted.Status())
	}
}

// acceptQuote issues a quote for the order, accepts it and returns it. A decided quote cannot be rejected.
func acceptQuote(ops, client *ClientWithResponses, order OrderDetail) Quote {
	orderID := order.Uuid.String()
	quoteID := issueQuote(ops, client, orderID)
	accepted := must(client.DecideQuoteWithResponse(ctx, orderID, quoteID, QuoteDecision{Status: "accept"})).JSON200
	if accepted.Status != "Quote accepted" {
		log.Fatalf("accepting the quote returned %s", accepted.Status)
	}
	rejection := must(client.DecideQuoteWithResponse(ctx, orderID, quoteID, QuoteDecision{Status: "reject"}))
	if rejection.JSON409 == nil {
		log.Fatalf("rejecting the accepted quote returned %s", rejection.Status())
	}
	return accepted.QuoteDetails
}

// issueQuote issues a quote for an order and returns its ID. The client must read all digits of its price.
func issueQuote(ops, client *ClientWithResponses, orderID string) string {
	const price = 123456789.99
	issued := must(ops.OpsIssueQuoteWithResponse(ctx, orderID, QuoteInput{
		QuoteName:           "Economy",
		DeliveryBy:          20,
		PriceBeforeDiscount: price,
		ExpiryDate:          time.Now().AddDate(0, 0, 3),
	})).JSON201.Data
	record := must(client.GetRecordWithResponse(ctx, orderID, RecordSelection{})).JSON200
	if record.Quotes == nil || (*record.Quotes)[0].FinalPrice != price {
		log.Fatalf("the quotes of the order are %v", record.Quotes)
	}
	return issued.QuoteId.String()
}

// fly assigns an operator to a mission, schedules its flight and delivers generated files.
func fly(ops *ClientWithResponses, mission Mission) {
	id := mission.Uuid.String()
	must(ops.OpsAssignOperatorWithResponse(ctx, id, OperatorInput{OperatorName: "Kea Drones"}))
	must(ops.OpsScheduleWithResponse(ctx, id, FlightInput{FlightDate: time.Now().AddDate(0, 0, 9)}))
	must(ops.OpsDeliverWithResponse(ctx, id, DeliveryInput{Generate: true}))
}

// checkDelivery downloads all files of a mission's package. The package and its files must have the listed sizes.
func checkDelivery(client *ClientWithResponses, mission Mission) {
	packages := must(
		client.ListDeliveryPackagesWithResponse(ctx, mission.Uuid, &ListDeliveryPackagesParams{}),
	).JSON200.Data.Data
	files := must(
		client.ListDeliveryFilesWithResponse(ctx, packages[0].Uuid, &ListDeliveryFilesParams{}),
	).JSON200.Data.Data
	total := int64(0)
	for _, file := range files {
		size := downloadSize(file.DownloadUrl)
		if size != file.FileSize {
			log.Fatalf("%s has %d bytes instead of %d", file.FileName, size, file.FileSize)
		}
		total += size
	}
	if total != packages[0].TotalSize || total == 0 {
		log.Fatalf("the package has %d bytes instead of %d", total, packages[0].TotalSize)
	}
}

// downloadSize downloads a file and returns its size in bytes.
func downloadSize(link string) int64 {
	resp := must(http.Get(link))
	defer resp.Body.Close()
	return must(io.Copy(io.Discard, resp.Body))
}

// complete accepts the delivery of an order's only mission, which completes the order.
func complete(ops, client *ClientWithResponses, order OrderDetail) {
	must(ops.OpsAcceptDeliveryWithResponse(ctx, order.Missions[0].Uuid.String(), map[string]any{}))
	completed := must(client.GetOrderWithResponse(ctx, order.OrderCode)).JSON200.Data
	if completed.Status != "completed" {
		log.Fatalf("after the delivery was accepted, the order is %s", completed.Status)
	}
	must(json.Marshal(completed)) // every member can be encoded again
}

// connect returns a client of the service with an API key.
func connect(key string) *ClientWithResponses {
	addKey := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	return must(NewClientWithResponses(os.Getenv("ORIGIN"), WithRequestEditorFn(addKey)))
}

// must returns a result, or exits if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
