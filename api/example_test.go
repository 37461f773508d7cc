package api_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"flightdesk/api"
	"flightdesk/api/server"
)

// README shows the lines between the marks.
func Example() {
	ctx := context.Background()
	baseURL, key, end := trained(ctx)

	// README begins
	client, err := api.NewClient(baseURL, api.WithKey(key))
	if err != nil {
		log.Fatal(err)
	}
	for order, err := range client.Orders.All(ctx) {
		if err != nil {
			log.Fatal(err) // *api.Error: rejected by the service; *api.TransportError: service unreachable
		}
		fmt.Println(order.OrderCode, order.Status, order.OrderName)
	}
	// README ends
	end()

	// Output:
	// ORD-100249 biddingWithQuote Reußenköge: Rotorblätter vor dem Winter
	// ORD-100246 biddingWithQuote 苫前 blade inspection after the typhoon
	// ORD-100239 pendingOperator Alpha Ventus yearly inspection
	// ORD-100238 flyingDateSet Østerild test site, night lights
	// ORD-100235 operatorAssigned Smøla access roads
	// ORD-100231 flyingDateSet Lake Turkana: erosion around the foundations
	// ORD-100228 biddingWithQuote Whitelee blade inspection, spring
	// ORD-100224 orderNotFeasible Jaisalmer park, whole survey
	// ORD-100219 completed Tarfaya substation and lines
	// ORD-100216 completed La Ventosa after the norte
	// ORD-100214 completed Macarthur lightning damage
	// ORD-100212 cancelled Middelgrunden publicity film
	// ORD-100210 rejected Guazhou rows 12 and 13
	// ORD-100207 completed Rio do Fogo, dunes on the move
	// ORD-100202 archived Holtriem repowering survey
	// ORD-100201 archived Gullen Range, bird flight diverters
}

// trained starts a service with demo accounts. It returns the service's address, the API key of
// the first account, and a function to stop the service.
func trained(ctx context.Context) (baseURL, key string, end func()) {
	service := &server.Server{Demo: true}
	if err := service.Start(ctx); err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(service.Handler())
	return web.URL + server.PublicPath, service.Accounts()[0].Key, func() {
		web.Close()
		if err := service.Close(); err != nil {
			log.Fatal(err)
		}
	}
}
