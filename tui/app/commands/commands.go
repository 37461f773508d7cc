// Package commands has what a client or the service's staff can do to orders,
// missions, quotes, accounts and endpoints: when it is possible, what it means,
// and the requests. Forms of the screen and verbs of the shell are made from it.
package commands

import (
	"context"
	"time"
)

const readBackTimeout = 5 * time.Second

// ReadBackContext returns the context to read with what became of a change:
// ctx, or one that lasts a few seconds where ctx has ended.
func ReadBackContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), readBackTimeout)
}
