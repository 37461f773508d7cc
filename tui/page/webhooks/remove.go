package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
)

// deleteRefusal says why an endpoint cannot be deleted, "" where it can.
func (b *endpointBook) deleteRefusal(e *api.WebhookEndpoint) string {
	switch {
	case e == nil:
		return "no endpoint"
	case b.PendingFor != nil && b.PendingFor(e.UUID) != "":
		return "still pending: " + b.PendingFor(e.UUID)
	case e.UUID != "" && b.Feed.CurrentState().Endpoint == e.UUID:
		return "in use by live events; stop listening there with L, which deletes it"
	}
	return ""
}

// confirmWord returns what has to be typed to delete an endpoint: its host, or where that
// is nothing to type, the beginning of its id.
func confirmWord(e *api.WebhookEndpoint) string {
	h := endpointHost(e)
	if h == "" || len(h) > 40 || strings.ContainsFunc(h, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return e.UUID[:min(8, len(e.UUID))]
	}
	return h
}

// askDelete asks before an endpoint is deleted, and holds the deletion back.
func (b *endpointBook) askDelete(e *api.WebhookEndpoint) {
	env := b.Env
	uuid, address, want := e.UUID, endpointName(e), confirmWord(e)
	lines := []string{address}
	if l := b.logs[uuid]; l != nil && !l.read.IsZero() {
		lines = append(lines, format.Count(len(l.rows), "callback", "callbacks")+" in its log")
	}
	lines = append(lines, "", "Stops callbacks and retries and deletes the log. A new endpoint gets a new secret.", "You can undo for 8 s; then it is final.")
	env.Overlay(&dialog.TypedConfirmation{
		Theme: env.Theme, Title: "Delete endpoint", Lines: lines, Want: want, Yes: "delete", No: "back",
		OnYes: func() tea.Cmd {
			return env.Defer(page.HeldChange{
				Text: "delete " + address, Done: "Deleted " + address, Of: uuid,
				Send: func(ctx context.Context) error { return removeEndpoint(ctx, env, uuid) },
			})
		},
	})
}

// removeEndpoint deletes an endpoint and forgets its secret. One that is gone is
// deleted.
func removeEndpoint(ctx context.Context, env *page.Env, uuid string) error {
	err := env.Client.Webhooks.Delete(ctx, uuid)
	var lost *api.TransportError
	switch {
	case errors.As(err, &lost) && lost.Sent:
		if _, err := env.Client.Webhooks.Get(ctx, uuid); !api.IsStatus(err, http.StatusNotFound) {
			return fmt.Errorf("no response; check whether the endpoint still exists: %w", lost)
		}
	case err != nil && !api.IsStatus(err, http.StatusNotFound):
		return err
	}
	if err := env.Secrets.Delete(uuid); err != nil {
		return fmt.Errorf("endpoint deleted, but its secret is still in the keyring: %w", err)
	}
	return nil
}
