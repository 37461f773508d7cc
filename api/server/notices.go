package server

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// mailReceiver stands for the endpoint of all messages, so that few are sent at once.
const mailReceiver = -1

// noticeBook tells clients that orders are complete: it is the domain's notifier,
// and the book of a sender of its own. The zero value tells nobody.
type noticeBook struct {
	senderBook
	post mailTransport
	from string
	now  func() time.Time
}

// startNotices begins to tell clients.
func (s *Server) startNotices(ctx context.Context) error {
	address := func() string {
		return s.smtp.current("password of the SMTP server", s.SMTP, s.ReadSMTP, s.Log)
	}
	way, from, err := newPost(address, s.Dir)
	if err != nil {
		return err
	}
	n := &s.notices
	n.store, n.vault, n.post, n.from, n.now = s.store, s.callbacks.vault, way, from, s.Now
	s.domain.Notifier = n
	return n.openBook(ctx, (*store.Tx).StopNotices, callback.SenderConfig{
		Deliveries: n, Transport: s.callbacks.transport, Now: s.Now, Log: s.Log, Timing: s.timing, Faults: &s.faults,
	})
}

// Notify takes on notices that have been kept.
func (n *noticeBook) Notify(list ...store.Notice) {
	for _, notice := range list {
		to := callback.DeliveryRef{Delivery: notice.ID, Endpoint: notice.OrderID}
		if notice.Kind == store.NoticeEmail {
			to.Endpoint = mailReceiver
		}
		n.sender.Send(to)
	}
}

// Load reads what is sent. A notice to an address that is not the order's any
// more is gone.
func (n *noticeBook) Load(ctx context.Context, ids []int64) (messages []callback.Message, err error) {
	for _, id := range ids {
		notice, now, err := n.store.NoticeByID(ctx, id)
		isMail := notice.Kind == store.NoticeEmail
		if errors.Is(err, store.ErrNotFound) || err == nil && !isMail && now.Webhook != notice.Address {
			continue
		}
		m := callback.Message{
			Delivery: id, ID: notice.UUID, Event: api.EventOrderCompleted, URL: notice.Address,
			Body: []byte(notice.Body), Attempts: notice.Attempts,
		}
		switch {
		case err != nil:
			return nil, err
		case isMail:
			m.Post = func(ctx context.Context) error { return n.sendMail(ctx, notice) }
		default:
			if m.Secret, err = openSecret(n.vault, now.Owner, now.Secret); err != nil {
				return nil, err
			}
		}
		messages = append(messages, m)
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

// sendMail sends a message once.
func (n *noticeBook) sendMail(ctx context.Context, notice store.Notice) error {
	var letter domain.NoticeLetter
	if json.Unmarshal([]byte(notice.Body), &letter) != nil {
		return errors.New("the message cannot be read")
	}
	m, err := completionMessage(n.from, notice.UUID, letter, n.now())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, smtpTimeout)
	defer cancel()
	return n.post.sendMessage(ctx, letter.OrderCode+"-"+notice.UUID, m)
}
