package callback_test

import (
	"context"
	"io"
	"log"

	"flightdesk/api"
	"flightdesk/api/server/internal/callback"
)

var quiet = log.New(io.Discard, "", 0)

// oneMessage is a store with one delivery, which passes on its first outcome.
type oneMessage struct {
	url  string
	done chan callback.Outcome
}

func (b *oneMessage) Load(context.Context, []int64) ([]callback.Message, error) {
	return []callback.Message{{
		Delivery: 1, ID: "1", Event: api.EventMissionCompleted, URL: b.url, Secret: secret, Body: []byte("{}"),
	}}, nil
}

func (b *oneMessage) Record(_ context.Context, outcomes []callback.Outcome) error {
	select {
	case b.done <- outcomes[0]:
	default:
	}
	return nil
}
