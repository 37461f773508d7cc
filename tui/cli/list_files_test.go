package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
)

// If the packages of one mission are not found, the files of the other missions are listed.
func TestListFilesOfAMissionThatIsNotFound(t *testing.T) {
	body := func(path string) string {
		switch {
		case strings.HasSuffix(path, "/orders/ORD-1"):
			return `{"orderCode":"ORD-1","missions":[{"uuid":"a","missionCode":"MSN-1","status":"dataDelivered"},` +
				`{"uuid":"b","missionCode":"MSN-2","status":"dataDelivered"}]}`
		case strings.HasSuffix(path, "/missions/b/delivery-packages"):
			return `[{"uuid":"p","version":1}]`
		case strings.HasSuffix(path, "/delivery-packages/p/files"):
			return `[{"uuid":"f","fileName":"map.tif"}]`
		}
		return ""
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		said := body(r.URL.Path)
		if said == "" {
			w.WriteHeader(http.StatusNotFound)
			said = `{"message":"no such mission"}`
		}
		fmt.Fprint(w, said)
	}))
	defer service.Close()
	client, err := api.NewClient(service.URL+"/api/v1/public", api.WithKey("key"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := printingCall(&out, "csv")
	c.Context, c.Service = t.Context(), &Service{Client: client}
	err = listFiles(&listing{listFlags: listFlags{Of: "ORD-1"}, call: c})
	if !strings.Contains(out.String(), "map.tif") {
		t.Errorf("printed %q", out.String())
	}
	if !api.IsStatus(err, http.StatusNotFound) || !strings.Contains(err.Error(), "MSN-1") {
		t.Errorf("ended with %v", err)
	}
}
