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

// mailReceiver is used as the endpoint ID of all mail. The sender limits how many messages it sends
// to one endpoint at a time, and so it limits all mail together.
const mailReceiver = -1

// noticeRegistry notifies clients of completed orders by callback or mail, and records the outcomes
// in the store. It implements [domain.Notifier]. It also implements [callback.DeliveryStore], from
// which the sender of the notices reads what to send. The zero value sends nothing.
type noticeRegistry struct {
	senderBase
	post mailTransport
	from string
	now  func() time.Time
}

// startNotices initializes s.notices, makes it the notifier of the domain, and starts sending the
// notices about completed orders.
func (s *service) startNotices(ctx context.Context, settings *Server) error {
	// The address has the password of the SMTP server. It is a function, because the password can
	// be replaced while the service runs.
	smtpAddress := func() string {
		return s.smtp.current("password of the SMTP server", settings.SMTP, settings.ReadSMTP, settings.Log)
	}
	transport, from, err := newPost(smtpAddress, settings.Dir)
	if err != nil {
		return err
	}
	n := &s.notices
	n.store = s.store
	n.vault = s.callbacks.vault
	n.post = transport
	n.from = from
	n.now = settings.Now
	n.markPending = (*store.Tx).StopNotices
	s.domain.Notifier = n
	return n.startSender(ctx, callback.SenderConfig{
		Deliveries: n, // reads the notices to send, and records their outcomes
		Transport:  s.callbacks.transport,
		Now:        settings.Now,
		Log:        settings.Log,
		Timing:     settings.tests.timing,
		Faults:     &s.faults,
	})
}

// Notify queues notices that are already in the store.
func (n *noticeRegistry) Notify(list ...store.Notice) {
	for _, notice := range list {
		to := callback.DeliveryRef{Delivery: notice.ID, Endpoint: notice.OrderID}
		if notice.Kind == store.NoticeEmail {
			to.Endpoint = mailReceiver
		}
		n.sender.Send(to)
	}
}

// Load returns the messages of the notices with the given IDs. It leaves out notices that were
// deleted. It also leaves out notices to a URL that the client has changed in the meantime.
func (n *noticeRegistry) Load(ctx context.Context, ids []int64) ([]callback.Message, error) {
	var messages []callback.Message
	for _, id := range ids {
		notice, settings, err := n.store.NoticeByID(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if notice.Kind == store.NoticeEmail {
			messages = append(messages, n.mailMessage(notice))
			continue
		}
		if settings.Webhook != notice.Address {
			continue
		}
		secret, err := openSecret(n.vault, settings.Owner, settings.Secret)
		if err != nil {
			return nil, err
		}
		message := newNoticeMessage(notice)
		message.Secret = secret
		messages = append(messages, message)
	}
	return messages, nil
}

// newNoticeMessage returns the message that sends a notice to a webhook. The caller must set its
// secret.
func newNoticeMessage(notice store.Notice) callback.Message {
	return callback.Message{
		Delivery: notice.ID,
		ID:       notice.UUID,
		Event:    api.EventOrderCompleted,
		URL:      notice.Address,
		Body:     []byte(notice.Body),
		Attempts: notice.Attempts,
	}
}

// mailMessage returns the message of a notice that is sent by e-mail.
func (n *noticeRegistry) mailMessage(notice store.Notice) callback.Message {
	message := newNoticeMessage(notice)
	message.Post = func(ctx context.Context) error { return n.sendMail(ctx, notice) }
	return message
}

// Record writes the outcomes of attempts to the store.
func (n *noticeRegistry) Record(ctx context.Context, outcomes []callback.Outcome) error {
	return n.store.Write(ctx, func(tx *store.Tx) error {
		for _, o := range outcomes {
			outcome, err := noticeOutcome(o)
			if err != nil {
				return err
			}
			if err := tx.RecordNotice(outcome); err != nil {
				return err
			}
		}
		return nil
	})
}

// noticeOutcome returns the new state of a notice after an attempt.
func noticeOutcome(o callback.Outcome) (store.Notice, error) {
	d := deliveryOf(o)
	notice := store.Notice{
		ID:           o.Delivery,
		Success:      d.Success,
		ResponseCode: d.ResponseCode,
		Attempts:     d.Attempts,
		Error:        d.Error,
	}
	if o.Try == nil {
		return notice, nil
	}
	attempt, err := wireAttempt(*attemptOf(o))
	if err != nil {
		return store.Notice{}, err
	}
	notice.Tries = append(notice.Tries, attempt)
	return notice, nil
}

// sendMail makes one attempt to send a message.
func (n *noticeRegistry) sendMail(ctx context.Context, notice store.Notice) error {
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
