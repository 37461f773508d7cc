package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/ordering"
)

func TestTheQuestionAboutAnOrderHasTheNumberOfMissionsOfTheService(t *testing.T) {
	two := 2
	for want, order := range map[string]api.Order{
		"2 missions":                 {MissionCount: &two}, // the missions could not be read
		"1 mission":                  {Missions: make([]api.Mission, 1)},
		"number of missions unknown": {},
	} {
		if got := countMissions(&order); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAnOrderThatIsNotConfirmedIsNotCalledUnplaced(t *testing.T) {
	orders := make([]ordering.OrderPart, 2)
	orders[1].Request.Order.OrderName = "Levee 2"
	err := describeUnplaced(orders, 1, &changes.UnconfirmedError{Err: errors.New("no response")})
	const want = "1 of 2 orders placed; Levee 2: no response; sent, not confirmed"
	if err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

func TestAProfileWithoutAnOperationsKeyIsNotSaidToLackAnAddress(t *testing.T) {
	env := environment(t, map[string]string{"FLIGHTDESK_OPS_URL": "https://desk.example/api/ops/v1"})
	c := &Call{Context: t.Context(), program: &program{Env: env}, Cmd: &cobra.Command{}}
	_, err := c.ViewAccount("ORD-1")
	if text := errorMessage(err); !strings.HasSuffix(text, "has no key of the operations API; add its ops_credential, or set FLIGHTDESK_OPS_KEY") {
		t.Errorf("error %q", text)
	}
}

func TestAMissionThatCouldNotBeReadIsNotReplacedByItsOrder(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/orders/ORD-1" {
			_, _ = w.Write([]byte(`{"success":true,"data":{"uuid":"o","orderCode":"ORD-1","missionCount":2}}`))
			return
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"success":false,"error":{"code":"forbidden","message":"not yours"}}`))
	}))
	defer service.Close()
	client, err := api.NewClient(service.URL, api.WithKey("key"), api.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	a := &accountView{call: &Call{Context: t.Context(), Service: &Service{Client: client}}}
	const want = "MSN-2: not among the missions of ORD-1 that could be read"
	if text := errorMessage(a.selectOrder("ORD-1", "MSN-2")); text != want {
		t.Errorf("error %q, want %q", text, want)
	}
}

func TestOnlyErrorsOfTheDataFolderBlameTheDataFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	for path, isFolder := range map[string]bool{
		folder:                                  true,
		filepath.Join(folder, "flightdesk.db"):  true,
		filepath.Dir(folder):                    true, // the folder cannot be created in it
		filepath.Join(t.TempDir(), "audit.log"): false,
	} {
		err := explainStartError(&fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}, folder)
		if got := strings.HasPrefix(err.Error(), "could not use the data folder"); got != isFolder {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestTheStartOfAServiceWithADatabaseDoesNotAdviseTheDemo(t *testing.T) {
	for address, want := range map[string]bool{"": true, database: false} {
		s := &server.Server{}
		s.Database.URL = address
		f := serveFlags{service: localService{server: s}}
		var out bytes.Buffer
		to := newTextWriter(&out)
		f.writeBanner(to, nil)
		_ = to.Flush()
		if got := strings.Contains(out.String(), "--demo"); got != want {
			t.Errorf("database %q: %s", address, out.String())
		}
	}
}
