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

// smtpTimeout limits an attempt to send a message.
const smtpTimeout = 8 * time.Second

// mailFrom is the sender of messages if the user name of the SMTP server is not an
// address.
const mailFrom = "flightdesk@localhost"

// mailTransport sends messages.
type mailTransport interface {
	sendMessage(ctx context.Context, name string, m *gomail.Msg) error
}

// rereadPost sends messages through an SMTP server. Before each message, it asks for the address of
// the server again, because the password in the address may change.
type rereadPost struct{ address func() string }

func (p rereadPost) sendMessage(ctx context.Context, name string, m *gomail.Msg) error {
	post, _, err := newSMTP(p.address())
	if err != nil {
		return err
	}
	return post.sendMessage(ctx, name, m)
}

// newPost returns the transport of messages and their sender address. The transport is
// the SMTP server at address, written as host:port or smtp[s]://user:password@host:port.
// If address is "", messages are written to the outbox folder in dir or, without dir,
// kept in memory.
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

// smtpPost sends messages through an SMTP server.
type smtpPost struct {
	host string
	opts []gomail.Option
}

var errSMTP = errors.New(
	"the SMTP server is given as host:port or smtp://user:password@host:port, with smtps for TLS from the start",
)

// newSMTP returns the transport through the SMTP server at address, and the sender address
// of its messages.
func newSMTP(address string) (mailTransport, string, error) {
	u, err := parseSMTP(address)
	if err != nil {
		return nil, "", err
	}
	opts, err := smtpOptions(u)
	if err != nil {
		return nil, "", err
	}
	// sendMessage creates a client for each message. This client only checks the options, for
	// example the port.
	if _, err := gomail.NewClient(u.Hostname(), opts...); err != nil {
		return nil, "", errSMTP
	}
	from := mailFrom
	if user, err := mail.ParseAddress(u.User.Username()); err == nil {
		from = user.Address
	}
	return &smtpPost{host: u.Hostname(), opts: opts}, from, nil
}

// smtpOptions returns the options of a client for the SMTP server with a URL.
func smtpOptions(u *url.URL) ([]gomail.Option, error) {
	password, hasPassword := u.User.Password()
	security, port := smtpSecurity(u.Scheme, hasPassword)
	if u.Port() != "" {
		var err error
		port, err = strconv.Atoi(u.Port())
		if err != nil {
			return nil, errSMTP
		}
	}
	opts := []gomail.Option{
		gomail.WithTimeout(smtpTimeout),
		gomail.WithoutNoop(),
		gomail.WithPort(port),
		security,
	}
	if hasPassword {
		opts = append(opts,
			gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()),
			gomail.WithPassword(password),
		)
	}
	return opts, nil
}

// parseSMTP parses the address of an SMTP server. The error does not contain the address,
// which may have a password.
func parseSMTP(address string) (*url.URL, error) {
	if !strings.Contains(address, "://") {
		address = "smtp://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errSMTP
	}
	isSMTP := u.Scheme == "smtp" || u.Scheme == "smtps"
	hasPath := strings.Trim(u.Path, "/") != ""
	if !isSMTP || hasPath || u.Hostname() == "" {
		return nil, errSMTP
	}
	return u, nil
}

// smtpSecurity returns how a connection is encrypted, and the default port. With the scheme
// smtps, the whole connection uses TLS. With smtp, the connection changes to TLS after the
// greeting if the server supports it. TLS is required if a password is sent.
func smtpSecurity(scheme string, hasPassword bool) (gomail.Option, int) {
	if scheme == "smtps" {
		return gomail.WithSSL(), 465
	}
	if hasPassword {
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

// mailReason returns an error that says in one line why a message was not sent. If the server
// rejected the message, the error contains the code of the server's response. It does not contain
// the text of the response, which may repeat parts of the message.
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

// folderPost writes messages as files to a folder.
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

// maxMemoryMail is the maximum number of messages in memory.
const maxMemoryMail = 100

// memoryPost keeps the last messages in memory.
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

// WrittenMessages returns the last 100 messages of a server without data folder and
// without SMTP, oldest first, in the format of .eml files.
func (s *Server) WrittenMessages() [][]byte {
	p, ok := s.service.notices.post.(*memoryPost)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([][]byte{}, p.sent...)
}

// completionMessage returns the message that an order is completed.
func completionMessage(from, id string, l domain.NoticeLetter, now time.Time) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.FromFormat("flightdesk", from); err != nil {
		return nil, err
	}
	if err := setRecipient(m, oneLine(l.ClientName), l.To); err != nil {
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

// setRecipient sets the recipient of a message. name may be "".
func setRecipient(m *gomail.Msg, name, address string) error {
	if name == "" {
		return m.To(address)
	}
	return m.AddToFormat(name, address)
}

// oneLine replaces the control characters of a text by spaces.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}
