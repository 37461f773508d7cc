package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// CompletionNotice is a message that tells a client that an order is complete. It is sent over one of the
// channels in the order's notification settings.
type CompletionNotice struct {
	UUID         string           `json:"uuid"`
	OrderUID     string           `json:"orderUid"`
	OrderCode    string           `json:"orderCode"`
	Channel      string           `json:"channel"` // webhook or email
	Address      string           `json:"address"` // address of the receiver
	Success      bool             `json:"success"`
	ResponseCode int              `json:"responseCode"` // HTTP status; 0 without a response
	Attempts     int              `json:"attempts"`
	Error        *string          `json:"error"` // [api.CallbackPending] until the last attempt
	CreatedAt    api.Time         `json:"createdAt"`
	Extra        api.ExtraMembers `json:",embed"`

	History []CallbackAttempt `json:"history"` // latest attempts, oldest first
}

// IsEmail reports whether the notification is an e-mail.
func (n *CompletionNotice) IsEmail() bool { return n.Channel == "email" }

// IsPending reports whether the notification is still being sent.
func (n *CompletionNotice) IsPending() bool {
	return !n.Success && n.Error != nil && *n.Error == api.CallbackPending
}

// Failed reports whether all attempts to notify the client failed.
func (n *CompletionNotice) Failed() bool { return !n.Success && !n.IsPending() }

// Notifications returns one page of the completion notifications of an order, newest first.
func (s *OrdersService) Notifications(
	ctx context.Context,
	orderUUID string,
	opts api.ListOptions,
) (*api.Page[CompletionNotice], error) {
	op := api.NewOperation("list notifications", "GET orders/{}/notifications", orderUUID)
	return api.CallPage[CompletionNotice](ctx, s.c, op, opts)
}

// NoticeFilter selects completion notices of an account.
type NoticeFilter struct {
	Failed bool // only notices whose attempts all failed
}

// Notifications returns one page of the completion notifications of an account's orders, newest
// first.
func (s *AccountsService) Notifications(
	ctx context.Context,
	accountUUID string,
	filter NoticeFilter,
	opts api.ListOptions,
) (*api.Page[CompletionNotice], error) {
	return api.CallPage[CompletionNotice](ctx, s.c, filter.operation(accountUUID), opts)
}

// AllNotifications yields the completion notifications of an account's orders, newest first. It
// yields the first error and stops.
func (s *AccountsService) AllNotifications(
	ctx context.Context, accountUUID string, filter NoticeFilter,
) iter.Seq2[*CompletionNotice, error] {
	return api.ListAll[CompletionNotice](ctx, s.c, filter.operation(accountUUID), api.MaxPageLimit)
}

func (f NoticeFilter) operation(accountUUID string) api.Operation {
	op := api.NewOperation("list notifications", "GET accounts/{}/notifications", accountUUID)
	if f.Failed {
		op = op.WithQuery("failed", "true")
	}
	return op
}

// ResendNotification sends a notification again, with the same ID. The returned notice is pending.
func (s *OrdersService) ResendNotification(ctx context.Context, noticeUUID string) (*CompletionNotice, error) {
	op := api.NewOperation("resend notification", "POST notifications/{}/resend", noticeUUID)
	return api.CallOne[CompletionNotice](ctx, s.c, op, nil)
}
