package server

import (
	"errors"
	"fmt"
	"mime/multipart"
	"net/url"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/kmlcsv"
)

const (
	maxParsing     = 4        // survey files that are parsed at once; others wait
	uploadOverhead = 64 << 10 // bytes of an upload besides the file: boundaries and headers
	maxTold        = 20       // warnings that a message tells, of each kind
)

var errFileTooLarge = newFault(api.CodeTooLarge,
	fmt.Sprintf("the file is larger than %d MiB", api.MaxUploadBytes>>20))

// parseSurvey returns the handler that reads files of a format, whatever they
// are called.
func (h *publicHandlers) parseSurvey(format kmlcsv.Format) func(*exchange) (handlerAnswer, error) {
	return func(x *exchange) (handlerAnswer, error) {
		data, err := x.readUpload()
		if err != nil {
			return handlerAnswer{}, err
		}
		x.endWithClient()
		select {
		case h.parsing <- struct{}{}:
		case <-x.r.Context().Done():
			return handlerAnswer{}, x.r.Context().Err()
		}
		defer func() { <-h.parsing }()
		ctx := x.r.Context()
		result, err := kmlcsv.ParseContext(ctx, data, kmlcsv.Options{Format: format, MaxBytes: api.MaxUploadBytes})
		if ctx.Err() != nil {
			return handlerAnswer{}, ctx.Err()
		}
		if err != nil {
			return handlerAnswer{}, unreadableFile(result, err)
		}
		return handlerAnswer{
			message: told(result),
			data:    api.ParseResult{Placemarks: wirePlacemarks(result.Placemarks)},
		}, nil
	}
}

// readUpload returns the one file of an upload. The upload streams through, so
// that no more than the file is ever kept.
func (x *exchange) readUpload() (data []byte, err error) {
	const file = "file"
	files := 0
	faults, err := x.readForm("the part file", api.MaxUploadBytes+uploadOverhead, errFileTooLarge, uploadTimeout,
		func(name string, part *multipart.Part, faults *formFaults) (err error) {
			if name != file {
				faults.notePart(name, "is not known; the file's part is named file")
			} else if files > 0 {
				faults.note(file, "is given more than once")
			} else {
				files++
				data, err = readAtMost(part, api.MaxUploadBytes, errFileTooLarge, errFileTooLarge)
			}
			return err
		})
	if err != nil {
		return nil, err
	} else if files == 0 {
		faults.note(file, "is required")
	} else if len(data) == 0 {
		faults.note(file, "is empty")
	}
	x.readDone()
	return data, invalidRequest(faults, len(faults))
}

// unreadableFile says why nothing of a file can be used.
func unreadableFile(result *kmlcsv.Result, err error) error {
	var unusable *kmlcsv.Error
	if errors.As(err, &unusable) && unusable.Code == kmlcsv.TooLarge {
		return newFault(api.CodeTooLarge, err.Error())
	}
	refusal := newFault(api.CodeValidationFailed, "the file cannot be used: "+err.Error())
	refusal.Fields = []api.FieldError{{Field: "file", Message: err.Error()}}
	if result != nil {
		for _, w := range result.Warnings[:min(len(result.Warnings), maxTold)] {
			refusal.Fields = append(refusal.Fields, api.FieldError{Field: "file", Message: w.String()})
		}
	}
	return refusal
}

// told sums up what was read, what was skipped and what needed leniency.
func told(result *kmlcsv.Result) string {
	var skipped, noted []string
	for _, w := range result.Warnings {
		if w.Skipped {
			skipped = append(skipped, w.String())
		} else {
			noted = append(noted, w.String())
		}
	}
	message := counted(len(result.Placemarks), "placemark") + " read"
	if len(skipped) > 0 {
		message += fmt.Sprintf("; %d skipped: %s", len(skipped), listed(skipped))
	}
	if len(noted) > 0 {
		message += "; note: " + listed(noted)
	}
	return message
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func listed(texts []string) string {
	if more := len(texts) - maxTold; more > 0 {
		texts = append(texts[:maxTold:maxTold], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

func wirePlacemarks(placemarks []kmlcsv.Placemark) []api.Placemark {
	all := make([]api.Placemark, len(placemarks))
	for i, p := range placemarks {
		all[i] = api.Placemark{
			LocationLabel: p.Name, Country: p.Country, City: p.City, LocationMap: wirePoints(p.Points()),
		}
	}
	return all
}

func wirePoints(points []orb.Point) []api.Point {
	all := make([]api.Point, len(points))
	for i, p := range points {
		all[i] = api.Point{Lat: p.Lat(), Lng: p.Lon()}
	}
	return all
}

func (h *publicHandlers) createWebhook(x *exchange, in *api.CreateWebhookRequest) (handlerAnswer, error) {
	w, secret, err := h.domain.Callbacks.NewWebhook(x.r.Context(), x.caller, *in)
	wire := wireWebhook(w)
	wire.Secret = secret
	message := "endpoint registered; its secret is not shown again"
	if host := webhookHost(in.URL); h.transport.IsUnreachable(host) {
		message += "; callbacks will not reach it: " + host +
			" is not a public address; use a public one, or have the service started with --webhook-allow"
	}
	return answerCreated(message, wire, err)
}

// webhookHost returns the host of an endpoint's URL, which has been checked.
func webhookHost(endpoint string) string {
	parsed, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

const webhookList = "webhooks"

func (h *publicHandlers) listWebhooks(x *exchange) (handlerAnswer, error) {
	list := shownList{webhookList, api.DefaultPageLimit, "webhooks, newest first"}
	return answerList(h.handlerBase, x, list, x.caller.Account.ID, wireWebhook)
}

// findWebhook finds an endpoint of the caller, or of any account for the operations
// API.
func (b *handlerBase) findWebhook(x *exchange) (store.Webhook, error) {
	return b.domain.Callbacks.Webhook(x.r.Context(), x.caller, x.uuid())
}

func (h *publicHandlers) getWebhook(x *exchange) (handlerAnswer, error) {
	w, err := h.findWebhook(x)
	return answerWith("endpoint", wireWebhook(w), err)
}

func (h *publicHandlers) deleteWebhook(x *exchange) (handlerAnswer, error) {
	err := h.domain.Callbacks.DeleteWebhook(x.r.Context(), x.caller, x.uuid())
	return answerWith("endpoint deleted; callbacks to it have stopped", struct{}{}, err)
}

// listDeliveries returns the log of an endpoint, for its account and for the
// operations API.
func (b *handlerBase) listDeliveries(x *exchange, webhook store.Webhook) (handlerAnswer, error) {
	list := shownList{
		"deliveries/" + strconv.FormatInt(webhook.ID, 10),
		api.DefaultPageLimit,
		"deliveries, newest first",
	}
	return answerList(b, x, list, webhook.ID, wireDelivery)
}

func wireWebhook(w store.Webhook) api.WebhookEndpoint {
	return api.WebhookEndpoint{
		UUID:        w.UUID,
		URL:         w.URL,
		Events:      w.Events,
		Description: w.Description,
		Status:      "active",
		LastStatus:  w.LastStatus,
		CreatedAt:   api.TimeOf(w.Created.UTC()),
		UpdatedAt:   api.TimeOf(w.Updated.UTC()),
	}
}

func wireDelivery(d store.Delivery) api.WebhookDelivery {
	return api.WebhookDelivery{
		UUID:         d.UUID,
		Event:        d.Event,
		MissionUID:   d.MissionUUID,
		OrderCode:    d.OrderCode,
		Success:      d.Success,
		ResponseCode: &d.ResponseCode,
		Attempts:     &d.Attempts,
		Error:        d.Error,
		CreatedAt:    api.TimeOf(d.Created.UTC()),
	}
}
