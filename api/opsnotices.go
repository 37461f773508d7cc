package api

import "context"

// CompletionNotice is the message to a client that an order is complete, by one
// of the ways that its notification settings name.
type CompletionNotice struct {
	UUID         string       `json:"uuid"`
	OrderUID     string       `json:"orderUid"`
	Channel      string       `json:"channel"` // webhook or email
	Address      string       `json:"address"` // of the receiver
	Success      bool         `json:"success"`
	ResponseCode int          `json:"responseCode"` // of HTTP; 0 where no answer came
	Attempts     int          `json:"attempts"`
	Error        *string      `json:"error"` // [CallbackPending] until the last try
	CreatedAt    Time         `json:"createdAt"`
	Extra        ExtraMembers `json:",embed"`
}

// IsEmail reports whether it goes to an e-mail address.
func (n *CompletionNotice) IsEmail() bool { return n.Channel == "email" }

// IsPending reports whether it is still being sent.
func (n *CompletionNotice) IsPending() bool {
	return !n.Success && n.Error != nil && *n.Error == CallbackPending
}

// Failed reports whether all attempts to tell the client failed.
func (n *CompletionNotice) Failed() bool { return !n.Success && !n.IsPending() }

// Notifications returns one page of what an order's client was told when it was
// complete, newest first.
func (s *OpsOrdersService) Notifications(ctx context.Context, orderUUID string, opts ListOptions) (*Page[CompletionNotice], error) {
	op := newOperation("list notifications", "GET orders/{}/notifications", orderUUID)
	return getPage[CompletionNotice](ctx, s.c, op, opts)
}

// ResendNotification sends a notification again, with the same id. The notice that
// it returns is pending.
func (s *OpsOrdersService) ResendNotification(ctx context.Context, noticeUUID string) (*CompletionNotice, error) {
	op := newOperation("resend notification", "POST notifications/{}/resend", noticeUUID)
	return opsCall[CompletionNotice](ctx, s.c, op, nil)
}
