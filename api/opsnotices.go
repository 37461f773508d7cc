package api

import "context"

// CompletionNotice is what a client was told when an order was complete, by one
// of the ways that its notification settings name.
type CompletionNotice struct {
	UUID         string  `json:"uuid"`
	OrderUID     string  `json:"orderUid"`
	Channel      string  `json:"channel"` // webhook or email
	Address      string  `json:"address"` // of the receiver
	Success      bool    `json:"success"`
	ResponseCode int     `json:"responseCode"` // of HTTP; 0 where no answer came
	Attempts     int     `json:"attempts"`
	Error        *string `json:"error"` // [CallbackPending] until the last try
	CreatedAt    Time    `json:"createdAt"`
	Extra        Extra   `json:",embed"`
}

// Notifications returns one page of what an order's client was told when it was
// complete, newest first.
func (s *OpsOrdersService) Notifications(ctx context.Context, orderUUID string, opts ListOptions) (*Page[CompletionNotice], error) {
	return opsPage[CompletionNotice](ctx, s.c, "list notifications", opts, nil, "orders", orderUUID, "notifications")
}

// ResendNotification tells a client once more, with the same id. The notice that
// it returns is pending.
func (s *OpsOrdersService) ResendNotification(ctx context.Context, noticeUUID string) (*CompletionNotice, error) {
	return opsCall[CompletionNotice](ctx, s.c, operation{
		name: "resend notification", path: []string{"notifications", noticeUUID, "resend"},
	}, nil)
}
