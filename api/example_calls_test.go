package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

// serviceBase starts a service in this process, with an account that has an order at a stage. It
// returns a client, the order and a function to stop the service.
func serviceBase(stage server.OrderStage) (*api.Client, *api.Order, func()) {
	s := &server.Server{Now: func() time.Time { return time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC) }}
	ctx := context.Background()
	if err := s.Start(ctx); err != nil {
		log.Fatal(err)
	}
	client, err := s.Client()
	if err != nil {
		log.Fatal(err)
	}
	order, err := s.NewOrder(ctx, client, stage)
	if err != nil {
		log.Fatal(err)
	}
	return client, order, func() { _ = s.Close() }
}

// List returns one page of a list; All reads all pages.
func ExampleOrdersService_List() {
	client, _, end := serviceBase(server.StagePlaced)
	defer end()
	ctx := context.Background()

	for opts := (api.ListOptions{Limit: 10}); ; {
		page, err := client.Orders.List(ctx, opts)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, order := range page.Items {
			fmt.Println(order.OrderCode, order.Status)
		}
		if !page.HasNextPage {
			break
		}
		opts.Cursor = *page.NextCursor
	}
	// Output: ORD-100201 biddingWithQuote
}

// With an idempotency key, an order is placed only once, even if it is sent several times.
func ExampleOrdersService_Create() {
	client, _, end := serviceBase(server.StagePlaced)
	defer end()
	ctx := context.Background()

	key := api.NewIdempotencyKey()
	var of api.Metadata
	order, err := client.Orders.Create(api.WithMetadata(ctx, &of), api.CreateOrderRequest{
		Order: api.OrderInput{
			CompanyName: "Bosun Surveys", OrderName: "Levee", OrderType: api.SingleLocation, Sensors: []api.Sensor{api.SensorRGB},
			Deliverables: []api.Deliverable{api.Deliverable2DMap}, MissionObjective: api.ObjectiveMapAndSurvey,
			IndustryAssetType: api.AssetWaterManagement, StartDate: api.TimeOf(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)),
			Deadline: api.TimeOf(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)),
		},
		Missions: []api.MissionInput{{
			MissionName: "Gate", MissionType: api.MissionAsset, Country: "Germany", LocationLabel: "Stade", LocationMap: []api.Point{{Lat: 53.6, Lng: 9.4}},
		}},
	}, key)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(order.OrderCode, order.Status, of.Status, of.RequestID != "")
	// Output: ORD-100202 biddingWithQuote 201 true
}

// The error of a rejected request names the invalid fields. If there is no response, the error
// is another type.
func ExampleError() {
	client, _, end := serviceBase(server.StagePlaced)
	defer end()

	_, err := client.Orders.Create(context.Background(), api.CreateOrderRequest{}, "")
	var refused *api.Error
	var lost *api.TransportError
	switch {
	case errors.As(err, &refused):
		fmt.Println(refused.Status, refused.Code, refused.Fields[0].Field, refused.Fields[0].Message)
	case errors.As(err, &lost):
		fmt.Println(lost.Host, "was not reached; sent:", lost.Sent)
	}
	// Output: 400 validation_failed order.companyName is required
}

// These files are small enough to keep in memory. Package fetch resumes large downloads and
// verifies them.
func ExampleFilesService_Download() {
	client, order, end := serviceBase(server.StageDelivered)
	defer end()
	ctx := context.Background()

	packages, err := client.Missions.Packages(ctx, order.Missions[0].UUID)
	if err != nil {
		fmt.Println(err)
		return
	}
	files, err := client.Files.List(ctx, packages[0].UUID)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range files {
		var content bytes.Buffer
		n, err := client.Files.Download(ctx, &file, &content)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(file.FileName, n == file.FileSize)
	}
	// Output:
	// orthomosaic.tif true
	// photo-0001.jpg true
	// photo-0002.jpg true
	// photo-0003.jpg true
}

// A receiver verifies callbacks and handles each event once.
func ExampleReceiver() {
	const secret = "whsec_example"
	at := time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)
	receiver := &api.Receiver{Secret: secret, Now: func() time.Time { return at }, Handle: func(_ context.Context, e *api.Event) error {
		fmt.Println(e.Event, e.Data.Mission.MissionCode)
		return nil
	}}
	web := httptest.NewServer(receiver)
	defer web.Close()

	body := []byte(`{"id":"01890c3a-7c00-7a11-8e4d-5b1f60c2d901","event":"mission.completed","timestamp":"2026-03-14T09:26:53Z",` +
		`"data":{"mission":{"uuid":"01890c3a-7c00-7a11-8e4d-5b1f60c2d902","missionCode":"MSN-200417","status":"completed"}}}`)
	for range 2 { // the service repeats a callback if the response was lost
		req, err := http.NewRequest(http.MethodPost, web.URL, bytes.NewReader(body))
		if err != nil {
			fmt.Println(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Service-Signature", api.Sign(secret, body))
		req.Header.Set("X-Service-Event", "mission.completed")
		req.Header.Set("X-Service-Delivery", "01890c3a-7c00-7a11-8e4d-5b1f60c2d901")
		req.Header.Set("X-Service-Timestamp", at.Format(time.RFC3339))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		fmt.Println(resp.StatusCode)
	}
	// Output:
	// mission.completed MSN-200417
	// 204
	// 204
}
