package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/config"
)

func TestProductsAreNamedInAnyCaseAndWithoutUnderscore(t *testing.T) {
	only := fetchCommand().Flag("only").Value
	if err := only.Set("_2dMap,JPG, lidar"); err != nil {
		t.Error(err)
	}
	if err := only.Set("elevationmap"); err != nil || only.String() != "_2dMap,jpg,LiDAR,elevationMap" {
		t.Errorf("%s, %v", only, err)
	}
	if only.Set("jpg,photos") == nil {
		t.Error("photos are a product")
	}
}

func TestTheErrorOfFailedDownloadsSaysWhatToDo(t *testing.T) {
	full := fmt.Errorf("%w: 2 GB are to come", fetch.ErrNoSpace)
	for want, items := range map[string][]fetch.Item{
		"": {{Name: "a"}},
		"a: cut; run the command again to resume":                                                 {{Name: "b"}, {Name: "a", Err: errors.New("cut")}},
		"a: cut; run the command again to resume (2 files failed)":                                {{Name: "a", Err: errors.New("cut")}, {Name: "b", Err: errors.New("x")}},
		"the disk is full: 2 GB are to come; free some space and run the command again to resume": {{Name: "a", Err: full}, {Name: "b", Err: full}},
		"to/a: another file has this name; move the file and run the command again":               {{Name: "a", Path: "to/a", Err: fetch.ErrExists}},
	} {
		got := ""
		if err := failuresError(items); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFilesOnDiskAreListedWithTheirState(t *testing.T) {
	for want, state := range map[string]fetch.FileState{
		"local":   {Whole: true, Known: true, Done: 7},
		"changed": {Known: true, Changed: true, Done: 9},
		"part":    {Done: 3},
		"missing": {Known: true},
		"new":     {},
	} {
		if got := stateWord(&state); got != want {
			t.Errorf("%+v is %s, want %s", state, got, want)
		}
	}
}

// partlyListed returns a run of fetch ORD-1 with a client of a service. The service lists no files for the first
// mission of the order, and refuses to list the files of the second mission.
func partlyListed(t *testing.T) *Call {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/orders/ORD-1":
			fmt.Fprint(w, `{"data":{"uuid":"o","orderCode":"ORD-1","missions":[
				{"uuid":"a","missionCode":"MSN-1","orderCode":"ORD-1","status":"dataDelivered"},
				{"uuid":"b","missionCode":"MSN-2","orderCode":"ORD-1","status":"dataDelivered"}]}}`)
		case "/missions/a/delivery-packages":
			fmt.Fprint(w, `{"data":[{"uuid":"p","name":"first","version":1}],"nextCursor":null,"hasNextPage":false}`)
		case "/delivery-packages/p/files":
			fmt.Fprint(w, `{"data":[],"nextCursor":null,"hasNextPage":false}`)
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":{"code":"forbidden","message":"not yours"}}`)
		}
	}))
	t.Cleanup(service.Close)
	client, err := api.NewClient(service.URL, api.WithKey("key"), api.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	env := config.SystemEnv()
	env.Dirs.State = t.TempDir()
	cmd := fetchCommand()
	cmd.SetErr(io.Discard)
	return &Call{
		Context: t.Context(),
		program: &program{Env: env},
		Service: &Service{Config: &config.Config{}, Client: client},
		Cmd:     cmd,
		Args:    []string{"ORD-1"},
	}
}

func TestFetchDoesNotSayThatThereAreNoFilesIfSomeCouldNotBeListed(t *testing.T) {
	for _, isList := range []bool{false, true} {
		var out strings.Builder
		c := partlyListed(t)
		c.Cmd.SetOut(&out)
		flags := fetchFlags{To: t.TempDir(), Files: 1, List: isList, products: &choice[api.Deliverable]{}}
		text := errorMessage(flags.fetchFiles(c))
		if out.String() != "" || !strings.Contains(text, "not all files are listed: ORD-1: mission MSN-2") {
			t.Errorf("list %t: %q, error %q", isList, out.String(), text)
		}
	}
}

func TestFetchReportsMissingPackagesIfTheQueueCannotBeOpened(t *testing.T) {
	flags := fetchFlags{To: t.TempDir(), Files: -1} // no queue has such a number of parallel downloads
	text := errorMessage(flags.fetchFiles(partlyListed(t)))
	if !strings.Contains(text, "files, parts, attempts") || !strings.Contains(text, "not all files are listed: ORD-1: mission MSN-2") {
		t.Errorf("error %q", text)
	}
}
