package webhooks_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// lockedRing is a keyring that does not answer.
type lockedRing struct{}

func (lockedRing) Get(string) (string, error) { return "", errors.New("the keyring is locked") }
func (lockedRing) Set(string, string) error   { return errors.New("the keyring is locked") }
func (lockedRing) Delete(string) error        { return errors.New("the keyring is locked") }

// oneEndpoint answers like a service with one endpoint.
func oneEndpoint(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/webhooks") {
		apptest.AnswerNothing(w, r)
		return
	}
	apptest.WriteAnswer(w, 200, apptest.OrderList(
		`"uuid":"w-1","url":"https://a.example/in","events":["mission.completed"],"status":"active"`))
}

func TestASecretThatCannotBeReadIsUnknown(t *testing.T) {
	d := apptest.OpenAgainst(t, oneEndpoint, func(o *tui.Options) { o.Secrets = lockedRing{} })
	d.Press("7")
	d.Resize(140, 40)
	d.RequireText("Secret", "unknown: the keyring has not answered")
	d = apptest.OpenAgainst(t, oneEndpoint)
	d.Press("7")
	d.Resize(140, 40)
	d.RequireText("not stored on this machine")
}
