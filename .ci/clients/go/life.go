// Takes an order through its life with a client that was generated from the
// service's description. Ends with 1 at the first answer that is not the one
// expected.
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

const kml = `<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Mast</name><Point><coordinates>175.1234567,-37.7654321</coordinates></Point></Placemark></kml>`

var ctx = context.Background()

func main() {
	log.SetFlags(0)
	desk := connect(os.Getenv("OPS_KEY"))
	account := must(desk.OpsCreateAccountWithResponse(ctx, AccountInput{CompanyName: "Clients Ltd"})).JSON201.Data
	issued := must(desk.OpsIssueKeyWithResponse(ctx, account.Uuid, KeyInput{
		Scopes: []Scope{"orders:read", "orders:write", "files:read", "webhooks:read", "webhooks:write"},
	})).JSON201.Data
	client := connect(issued.Key)

	order := place(client, placemark(client))
	walk(client, order)
	hook(client)
	record := decide(desk, client, order)
	deliver(desk, client, order)
	fmt.Printf("  %s went through its life, for %.2f %s\n", order.OrderCode, record.FinalPrice, record.Currency)
}

// placemark has a survey file read; no digit of its place may be lost.
func placemark(client *ClientWithResponses) Placemark {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	io.WriteString(must(w.CreateFormFile("file", "mast.kml")), kml)
	w.Close()
	marks := must(client.ParseKMLWithBodyWithResponse(ctx, w.FormDataContentType(), &form)).JSON200.Data.Placemarks
	if p := marks[0].LocationMap[0]; p.Lat != -37.7654321 || p.Lng != 175.1234567 {
		log.Fatalf("the place was read as %v", p)
	}
	return marks[0]
}

// place places an order for the placemark and reads it again.
func place(client *ClientWithResponses, mark Placemark) OrderDetail {
	body := orderOf(mark)
	code := placeTwice(client, body)
	checkNegativeArea(client, body)
	order := must(client.GetOrderWithResponse(ctx, code)).JSON200.Data
	if m := order.Missions[0]; m.AreaSize != 123456.789 || m.LocationMap[0].Lng != 175.1234567 {
		log.Fatalf("the mission was stored as %v, %v", m.AreaSize, m.LocationMap)
	}
	return order
}

func orderOf(mark Placemark) CreateOrderRequest {
	return CreateOrderRequest{
		Order: OrderInput{
			CompanyName: "Clients Ltd", OrderName: "Mast", OrderType: "singleLocation", Sensors: []Sensor{"rgbSensor"},
			Deliverables: []Deliverable{"_2dMap"}, MissionObjective: "assetInspection", IndustryAssetType: "telecom",
			StartDate: time.Now().AddDate(0, 0, 7), Deadline: time.Now().AddDate(0, 1, 0),
		},
		Missions: []MissionInput{{
			MissionName: "Mast", MissionType: "asset", Country: "New Zealand", LocationLabel: mark.LocationLabel,
			AreaSize: 123456.789, LocationMap: mark.LocationMap,
		}},
	}
}

// placeTwice sends the request twice with one idempotency key, which places one order, and returns the order's code.
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

// walk looks for the order page by page.
func walk(client *ClientWithResponses, order OrderDetail) {
	one := Limit(1)
	for params := (ListOrdersParams{Limit: &one}); ; {
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

func hook(client *ClientWithResponses) {
	made := must(
		client.CreateWebhookWithResponse(ctx, CreateWebhookRequest{Url: "https://client.example/hook"}),
	).JSON201.Data
	if made.Secret == "" || made.LastStatus != nil {
		log.Fatalf("the endpoint is %+v", made)
	}
	id := made.Uuid
	if rows := must(
		client.ListDeliveriesWithResponse(ctx, id, &ListDeliveriesParams{}),
	).JSON200.Data.Data; len(
		rows,
	) != 0 {
		log.Fatalf("the log begins with %v", rows)
	}
	must(client.DeleteWebhookWithResponse(ctx, id))
	if gone := must(
		client.GetWebhookWithResponse(ctx, id),
	); gone.JSON404 == nil ||
		gone.JSON404.Data.Code != "not_found" {
		log.Fatalf("the deleted endpoint is answered with %s", gone.Status())
	}
}

// decide has the order quoted and accepts; a price of twelve digits stays one.
func decide(desk, client *ClientWithResponses, order OrderDetail) Quote {
	id := order.Uuid.String()
	issued := must(desk.OpsIssueQuoteWithResponse(ctx, id, QuoteInput{
		QuoteName:           "Economy",
		DeliveryBy:          20,
		PriceBeforeDiscount: 123456789.99,
		ExpiryDate:          time.Now().AddDate(0, 0, 3),
	})).JSON201.Data
	record := must(client.GetRecordWithResponse(ctx, id, RecordSelection{})).JSON200
	if record.Quotes == nil || (*record.Quotes)[0].FinalPrice != 123456789.99 {
		log.Fatalf("the record's quotes are %v", record.Quotes)
	}
	quote := issued.QuoteId.String()
	done := must(client.DecideQuoteWithResponse(ctx, id, quote, QuoteDecision{Status: "accept"})).JSON200
	if done.Status != "Quote accepted" {
		log.Fatalf("accepting was answered with %s", done.Status)
	}
	if late := must(
		client.DecideQuoteWithResponse(ctx, id, quote, QuoteDecision{Status: "reject"}),
	); late.JSON409 == nil {
		log.Fatalf("rejecting what was accepted was answered with %s", late.Status())
	}
	return done.QuoteDetails
}

func deliver(desk, client *ClientWithResponses, order OrderDetail) {
	id := order.Missions[0].Uuid.String()
	must(desk.OpsAssignOperatorWithResponse(ctx, id, OperatorInput{OperatorName: "Kea Drones"}))
	must(desk.OpsScheduleWithResponse(ctx, id, FlightInput{FlightDate: time.Now().AddDate(0, 0, 9)}))
	must(desk.OpsDeliverWithResponse(ctx, id, DeliveryInput{Generate: true}))
	packages := must(client.ListDeliveryPackagesWithResponse(ctx, order.Missions[0].Uuid, &ListDeliveryPackagesParams{})).JSON200.Data.Data
	files := must(
		client.ListDeliveryFilesWithResponse(ctx, packages[0].Uuid, &ListDeliveryFilesParams{}),
	).JSON200.Data.Data
	var total int64
	for _, f := range files {
		resp := must(http.Get(f.DownloadUrl))
		n := must(io.Copy(io.Discard, resp.Body))
		resp.Body.Close()
		if n != f.FileSize {
			log.Fatalf("%s has %d bytes instead of %d", f.FileName, n, f.FileSize)
		}
		total += n
	}
	if total != packages[0].TotalSize || total == 0 {
		log.Fatalf("the package has %d bytes instead of %d", total, packages[0].TotalSize)
	}
	must(desk.OpsAcceptDeliveryWithResponse(ctx, id, map[string]any{}))
	done := must(client.GetOrderWithResponse(ctx, order.OrderCode)).JSON200.Data
	if done.Status != "completed" {
		log.Fatalf("at the end the order is %s", done.Status)
	}
	if _, err := json.Marshal(done); err != nil {
		log.Fatal(err)
	}
}

func connect(key string) *ClientWithResponses {
	return must(
		NewClientWithResponses(os.Getenv("ORIGIN"), WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key)
			return nil
		})),
	)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
