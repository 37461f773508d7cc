package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// mailsAtOnce is how many messages are sent at one time.
const mailsAtOnce = 4

// recordPause is how long is waited before an outcome is stored that could not be.
const recordPause = time.Second

// noticeBook tells clients that orders are complete: it is the domain's notifier,
// and the book of a sender of its own. The zero value tells nobody.
type noticeBook struct {
	store  *store.Store
	vault  *store.Vault
	sender *callback.Sender
	post   mailTransport
	from   string
	now    func() time.Time
	log    *slog.Logger
	pauses []time.Duration // before each try of a message but the first

	places  chan struct{} // of messages on their way
	mu      sync.Mutex
	closed  bool
	under   sync.WaitGroup // messages that are taken on
	context context.Context
	cancel  context.CancelFunc // ends the waiting between tries
}

// startNotices begins to tell clients. What an earlier run left unsent is not
// sent any more.
func (s *Server) startNotices(ctx context.Context) error {
	way, from, err := newPost(s.SMTP, s.Dir)
	if err != nil {
		return err
	}
	if err := s.store.Write(ctx, (*store.Tx).StopNotices); err != nil {
		return err
	}
	n := &s.notices
	n.store, n.vault, n.post, n.from, n.now, n.log = s.store, s.callbacks.vault, way, from, s.Now, s.Log
	if n.pauses = s.timing.Waits; n.pauses == nil {
		n.pauses = []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second}
	}
	n.places = make(chan struct{}, mailsAtOnce)
	n.context, n.cancel = context.WithCancel(context.WithoutCancel(ctx))
	n.sender = callback.New(callback.SenderConfig{ //nolint:contextcheck // it outlasts the start
		Book: n, Transport: s.callbacks.transport, Now: s.Now, Log: s.Log, Timing: s.timing, Faults: &s.faults,
	})
	s.domain.Notifier = n
	return nil
}

// closeBook waits for tries under way and takes on nothing more.
func (n *noticeBook) closeBook() {
	if n.sender == nil {
		return
	}
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.cancel()
	n.sender.Close()
	n.under.Wait()
}

// markUnsent marks what was not sent any more.
func (n *noticeBook) markUnsent() error {
	if n.sender == nil {
		return nil
	}
	return n.store.Write(context.Background(), (*store.Tx).StopNotices)
}

// Notify takes on notices that have been kept.
func (n *noticeBook) Notify(list ...store.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	for _, notice := range list {
		if notice.Kind == store.NoticeWebhook {
			n.sender.Send(callback.DeliveryRef{Delivery: notice.ID, Endpoint: notice.OrderID})
			continue
		}
		n.under.Go(func() { n.writeNotice(notice) })
	}
}

// Load reads what is sent. A notice to an address that is not the order's any
// more is gone.
func (n *noticeBook) Load(ctx context.Context, ids []int64) (messages []callback.Message, err error) {
	for _, id := range ids {
		notice, now, err := n.store.NoticeByID(ctx, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && now.Webhook != notice.Address {
			continue
		}
		if err != nil {
			return nil, err
		}
		secret, err := openSecret(n.vault, now.Owner, now.Secret)
		if err != nil {
			return nil, err
		}
		messages = append(messages, callback.Message{
			Delivery: id, ID: notice.UUID, Event: api.EventOrderCompleted, URL: notice.Address, Secret: secret,
			Body: []byte(notice.Body), Attempts: notice.Attempts,
		})
	}
	return messages, nil
}

// Record keeps outcomes.
func (n *noticeBook) Record(ctx context.Context, outcomes []callback.Outcome) error {
	return n.store.Write(ctx, func(tx *store.Tx) error {
		for _, o := range outcomes {
			outcome, err := noticeOutcome(o)
			if err == nil {
				err = tx.RecordNotice(outcome)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// noticeOutcome returns what is kept of a try.
func noticeOutcome(o callback.Outcome) (store.Notice, error) {
	d := deliveryOf(o)
	notice := store.Notice{
		ID: o.Delivery, Success: d.Success, ResponseCode: d.ResponseCode, Attempts: d.Attempts, Error: d.Error,
	}
	if o.Try == nil {
		return notice, nil
	}
	try, err := wireAttempt(*attemptOf(o))
	notice.Tries = append(notice.Tries, try)
	return notice, err
}

// writeNotice sends a message, in as many tries as a callback.
func (n *noticeBook) writeNotice(notice store.Notice) {
	n.places <- struct{}{}
	defer func() { <-n.places }()
	var letter domain.NoticeLetter
	err := json.Unmarshal([]byte(notice.Body), &letter)
	for try := 1; err == nil && n.context.Err() == nil; try++ {
		out := callback.Outcome{DeliveryRef: callback.DeliveryRef{Delivery: notice.ID}, Attempts: notice.Attempts + try}
		out.Try = &callback.Attempt{At: n.now()}
		if failed := n.tryNotice(notice, letter); failed != nil {
			out.Error, out.Again = failed.Error(), try <= len(n.pauses)
		}
		out.Try.Took = n.now().Sub(out.Try.At)
		n.recordOutcome(out)
		if !out.Again {
			break
		}
		n.waitFor(n.pauses[try-1])
	}
	if err != nil {
		n.log.Error("a message was not sent", "notice", notice.UUID, "error", err)
	}
}

// recordOutcome keeps the outcome of a message as soon as that can be done.
func (n *noticeBook) recordOutcome(out callback.Outcome) {
	for {
		err := n.Record(context.Background(), []callback.Outcome{out})
		if err == nil {
			return
		}
		n.log.Error("the outcome of a message cannot be stored", "notice", out.Delivery, "error", err)
		if n.context.Err() != nil {
			return
		}
		n.waitFor(recordPause)
	}
}

func (n *noticeBook) tryNotice(notice store.Notice, letter domain.NoticeLetter) error {
	m, err := completionMessage(n.from, notice.UUID, letter, n.now())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), smtpTimeout)
	defer cancel()
	return n.post.sendMessage(ctx, letter.OrderCode+"-"+notice.UUID, m)
}

// waitFor sleeps, or not if the service stops.
func (n *noticeBook) waitFor(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.context.Done():
	}
}
