package server

import (
	"context"
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
	maxParsing        = 4        // survey files parsed at a time; others wait
	uploadOverhead    = 64 << 10 // bytes of an upload in addition to the file: boundaries and headers
	maxListedWarnings = 20       // warnings of each kind in a message
)

var errFileTooLarge = newFault(api.CodeTooLarge,
	fmt.Sprintf("the file is larger than %d MiB", api.MaxUploadBytes>>20))

// parseSurvey returns the handler that parses survey files of a format. The names of the
// files do not matter.
func (h *publicHandlers) parseSurvey(format kmlcsv.Format) func(*exchange) (handlerAnswer, error) {
	return func(x *exchange) (handlerAnswer, error) {
		data, err := x.readUpload()
		if err != nil {
			return handlerAnswer{}, err
		}
		x.endWithClient()
		result, err := h.parseFile(x.r.Context(), data, format)
		if err != nil {
			return handlerAnswer{}, err
		}
		return handlerAnswer{
			message: parseMessage(result),
			data:    api.ParseResult{Placemarks: wirePlacemarks(result.Placemarks)},
		}, nil
	}
}

// parseFile parses a survey file. It waits while maxParsing other files are being parsed.
func (h *publicHandlers) parseFile(ctx context.Context, data []byte, format kmlcsv.Format) (*kmlcsv.Result, error) {
	select {
	case h.parsing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.parsing }()
	result, err := kmlcsv.ParseContext(ctx, data, kmlcsv.Options{Format: format, MaxBytes: api.MaxUploadBytes})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, unreadableFile(result, err)
	}
	return result, nil
}

// surveyPart is the name of the form's part with the survey file.
const surveyPart = "file"

// surveyUpload is a form with a survey file.
type surveyUpload struct {
	hasFile bool
	content []byte
}

// readPart reads a part of the form. The form can have only the part with the file.
func (u *surveyUpload) readPart(name string, part *multipart.Part, faults *formFaults) error {
	if name != surveyPart {
		faults.addPart(name, "is not known; the file's part is named file")
		return nil
	}
	if u.hasFile {
		faults.add(surveyPart, "is given more than once")
		return nil
	}
	u.hasFile = true
	content, err := readAtMost(part, api.MaxUploadBytes, errFileTooLarge, errFileTooLarge)
	if err != nil {
		return err
	}
	u.content = content
	return nil
}

// readUpload returns the file in an upload. Only the file is read into memory, not the
// whole body.
func (x *exchange) readUpload() ([]byte, error) {
	const maxBytes = api.MaxUploadBytes + uploadOverhead
	var upload surveyUpload
	faults, err := x.readForm("the part file", maxBytes, errFileTooLarge, uploadTimeout, upload.readPart)
	if err != nil {
		return nil, err
	}
	if !upload.hasFile {
		faults.add(surveyPart, "is required")
	} else if len(upload.content) == 0 {
		faults.add(surveyPart, "is empty")
	}
	x.readDone()
	if len(faults) > 0 {
		return nil, invalidRequest(faults, len(faults))
	}
	return upload.content, nil
}

// unreadableFile returns the error for a file that cannot be parsed.
func unreadableFile(result *kmlcsv.Result, err error) error {
	var unusable *kmlcsv.Error
	if errors.As(err, &unusable) && unusable.Code == kmlcsv.TooLarge {
		return newFault(api.CodeTooLarge, err.Error())
	}
	refusal := newFault(api.CodeValidationFailed, "the file cannot be used: "+err.Error())
	refusal.Fields = []api.FieldError{{Field: "file", Message: err.Error()}}
	if result != nil {
		for _, w := range result.Warnings[:min(len(result.Warnings), maxListedWarnings)] {
			refusal.Fields = append(refusal.Fields, api.FieldError{Field: "file", Message: w.String()})
		}
	}
	return refusal
}

// parseMessage returns the message of an answer: how many placemarks were read, and what was
// skipped or corrected.
func parseMessage(result *kmlcsv.Result) string {
	var skipped, corrected []string
	for _, w := range result.Warnings {
		if w.Skipped {
			skipped = append(skipped, w.String())
		} else {
			corrected = append(corrected, w.String())
		}
	}
	message := counted(len(result.Placemarks), "placemark") + " read"
	if len(skipped) > 0 {
		message += fmt.Sprintf("; %d skipped: %s", len(skipped), listed(skipped))
	}
	if len(corrected) > 0 {
		message += "; note: " + listed(corrected)
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
	if more := len(texts) - maxListedWarnings; more > 0 {
		texts = append(texts[:maxListedWarnings:maxListedWarnings], fmt.Sprintf("and %d more", more))
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

// webhookHost returns the host in the URL of an endpoint. The URL is valid.
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

// findWebhook returns an endpoint of the caller or, in the operations API, of any
// account.
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

// listDeliveries answers with the delivery log of an endpoint, for its account and for
// the operations API.
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
