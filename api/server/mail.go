package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"flightdesk/api/server/internal/domain"
	"flightdesk/config/atomicfile"
)

// smtpTimeout bounds a try to send a message.
const smtpTimeout = 8 * time.Second

// mailFrom is who messages are from where the user of the SMTP server is no
// address.
const mailFrom = "flightdesk@localhost"

// mailTransport brings messages on their way.
type mailTransport interface {
	sendMessage(ctx context.Context, name string, m *gomail.Msg) error
}

// rereadPost sends through an SMTP server whose address is read for each message, because its
// password can change.
type rereadPost struct{ address func() string }

func (p rereadPost) sendMessage(ctx context.Context, name string, m *gomail.Msg) error {
	way, _, err := newSMTP(p.address())
	if err != nil {
		return err
	}
	return way.sendMessage(ctx, name, m)
}

// newPost sends through the SMTP server at address, host:port or
// smtp[s]://user:password@host:port, else leaves messages in the outbox of the
// data folder dir, else in memory. It also says who they are from.
func newPost(address func() string, dir string) (mailTransport, string, error) {
	if address() != "" {
		_, from, err := newSMTP(address())
		return rereadPost{address}, from, err
	}
	if dir != "" {
		return folderPost(filepath.Join(dir, "outbox")), mailFrom, nil
	}
	return &memoryPost{}, mailFrom, nil
}

// smtpPost sends through an SMTP server.
type smtpPost struct {
	host string
	opts []gomail.Option
}

var errSMTP = errors.New(
	"the SMTP server is given as host:port or smtp://user:password@host:port, with smtps for TLS from the start",
)

func newSMTP(address string) (mailTransport, string, error) {
	if !strings.Contains(address, "://") {
		address = "smtp://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" ||
		strings.Trim(u.Path, "/") != "" {
		return nil, "", errSMTP // without the address, which may have a password
	}
	password, secured := u.User.Password()
	security, port := smtpSecurity(u.Scheme == "smtps", secured)
	if u.Port() != "" {
		port, err = strconv.Atoi(u.Port())
		if err != nil {
			return nil, "", errSMTP
		}
	}
	p := &smtpPost{host: u.Hostname(), opts: []gomail.Option{
		gomail.WithTimeout(smtpTimeout), gomail.WithoutNoop(), security, gomail.WithPort(port),
	}}
	if secured {
		p.opts = append(p.opts, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	if _, err := gomail.NewClient(p.host, p.opts...); err != nil { // a port that there is not, say
		return nil, "", errSMTP
	}
	if a, err := mail.ParseAddress(u.User.Username()); err == nil {
		return p, a.Address, nil
	}
	return p, mailFrom, nil
}

// smtpSecurity says how a connection is encrypted, and its usual port. A
// password goes over TLS only.
func smtpSecurity(fromStart, secured bool) (gomail.Option, int) {
	if fromStart {
		return gomail.WithSSL(), 465
	}
	if secured {
		return gomail.WithTLSPolicy(gomail.TLSMandatory), 587
	}
	return gomail.WithTLSPolicy(gomail.TLSOpportunistic), 25
}

func (p *smtpPost) sendMessage(ctx context.Context, _ string, m *gomail.Msg) error {
	client, err := gomail.NewClient(p.host, p.opts...)
	if err != nil {
		return errSMTP
	}
	return mailReason(client.DialAndSendWithContext(ctx, m))
}

// mailReason says in one line why a message was not sent. What a server said
// may hold what was sent to it, so only its code is told.
func mailReason(err error) error {
	var refused *gomail.SendError
	var failed *net.OpError
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.ErrorCode() != 0:
		return fmt.Errorf("the SMTP server rejected the message with %d", refused.ErrorCode())
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("the SMTP server did not respond in time")
	case errors.As(err, &failed) && failed.Op == "dial":
		return errors.New("could not connect to the SMTP server")
	default:
		return errors.New("the SMTP server did not accept the message")
	}
}

// folderPost leaves messages as files in a folder.
type folderPost string

func (p folderPost) sendMessage(_ context.Context, name string, m *gomail.Msg) error {
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return err
	}
	if err := atomicfile.ReplaceFile(filepath.Join(string(p), name+".eml"), b.Bytes()); err != nil {
		return errOutbox
	}
	return nil
}

var errOutbox = errors.New("the message cannot be written to the outbox")

// maxMemoryMail is how many messages are kept without a data folder.
const maxMemoryMail = 100

// memoryPost keeps the last messages.
type memoryPost struct {
	mu   sync.Mutex
	sent [][]byte
}

func (p *memoryPost) sendMessage(_ context.Context, _ string, m *gomail.Msg) error {
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, b.Bytes())
	if len(p.sent) > maxMemoryMail {
		p.sent = p.sent[1:]
	}
	return nil
}

// WrittenMessages returns the messages that a server without data folder and without
// SMTP has written, oldest first: the last 100 of them, in the form of .eml
// files.
func (s *Server) WrittenMessages() [][]byte {
	p, ok := s.notices.post.(*memoryPost)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([][]byte{}, p.sent...)
}

// completionMessage returns the message that an order is complete.
func completionMessage(from, id string, l domain.NoticeLetter, now time.Time) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.FromFormat("flightdesk", from); err != nil {
		return nil, err
	}
	var err error
	if name := oneLine(l.ClientName); name != "" {
		err = m.AddToFormat(name, l.To)
	} else {
		err = m.To(l.To)
	}
	if err != nil {
		return nil, errors.New("recipient rejected")
	}
	m.SetMessageIDWithValue(id + "@flightdesk")
	m.SetDateWithValue(now)
	m.Subject(fmt.Sprintf("Order %s completed: %s", l.OrderCode, oneLine(l.OrderName)))
	m.SetBodyString(gomail.TypeTextPlain, fmt.Sprintf(
		"All data of your order %s (%s) was delivered on %s.\r\n\r\nYou can download the files from the order; each link is valid for 24 hours.\r\n",
		l.OrderCode,
		oneLine(l.OrderName),
		l.CompletedAt.UTC().Format("2 January 2006 at 15:04 UTC"),
	))
	return m, nil
}

// oneLine returns a text without control characters.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}
