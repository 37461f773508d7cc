package api

import (
	"context"
	"iter"
	"time"
)

// Host returns the host and port that the client speaks to.
func (o *Ops) Host() string { return o.c.Host() }

// BaseURL returns Operations' address.
func (o *Ops) BaseURL() string { return o.c.BaseURL() }

// Now returns the time by the service's clock, as its last answer gave it.
func (o *Ops) Now() time.Time { return o.c.Now() }

// Observe has each request that ends from now on shown as [WithObserver] does,
// in place of whom they were shown to before; nil ends that.
func (o *Ops) Observe(observe func(Exchange)) { o.c.Observe(observe) }

// Shown returns when [Client.Shown] does.
func (o *Ops) Shown() { o.c.Shown() }

// Contact reports on the last request as [Client.Contact] does.
func (o *Ops) Contact() (answers int64, err error) { return o.c.Contact() }

// All yields all accounts, newest first, page by page. It stops after
// the first error, which it yields.
func (s *OpsAccountsService) All(ctx context.Context) iter.Seq2[*Account, error] {
	return opsAll(ctx, s.List)
}

// All yields an account's keys, newest first, page by page. It stops after
// the first error, which it yields.
func (s *OpsKeysService) All(ctx context.Context, accountUUID string) iter.Seq2[*AccountKey, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[AccountKey], error) {
		return s.List(ctx, accountUUID, opts)
	})
}

// AllRequests yields all requests for keys, newest first, page by page. It
// stops after the first error, which it yields.
func (s *OpsKeysService) AllRequests(ctx context.Context) iter.Seq2[*KeyRequest, error] {
	return opsAll(ctx, s.Requests)
}

// All yields the orders chosen, newest first, page by page. It stops
// after the first error, which it yields.
func (s *OpsOrdersService) All(ctx context.Context, filter OpsOrderFilter) iter.Seq2[*OpsOrder, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[OpsOrder], error) {
		return s.List(ctx, filter, opts)
	})
}

func opsAll[T any](ctx context.Context, page func(context.Context, ListOptions) (*Page[T], error)) iter.Seq2[*T, error] {
	return walkList(ctx, ListOptions{Limit: MaxPageLimit}, page)
}
