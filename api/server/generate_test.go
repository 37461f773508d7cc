package server_test

import (
	"bytes"
	"context"
	"image/jpeg"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

func TestGenerateDelivery(t *testing.T) {
	dir := t.TempDir()
	b := newBenchOn(t, &server.Server{Dir: dir})
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	path := "/missions/" + p.mission[0] + "/deliver"
	for _, body := range []string{`{"generate":false}`, `{"generate":"yes"}`, `{}`, `{"generate":true,"files":[]}`} {
		wantFault(t, body, b.ops("POST", path, body), 400, api.CodeValidationFailed)
	}
	wantFault(t, "half a body", b.ops("POST", path, `{"generate":`), 400, api.CodeMalformedBody)
	wantFault(t, "nothing there", b.ops("POST", "/missions/nope/deliver", `{"generate":true}`), 404, api.CodeNotFound)
	if left, err := os.ReadDir(filepath.Join(dir, "files")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	desk, err := ops.NewClient(b.s.OpsURL(), b.s.OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	first, err := desk.Missions.GenerateDelivery(context.Background(), p.mission[0])
	if err != nil {
		t.Fatal(err)
	}
	files := b.filesOf(p)
	if first.FileCount != len(files) || first.TotalSize < 50_000 {
		t.Errorf("%d files of %d bytes are delivered, %d listed", first.FileCount, first.TotalSize, len(files))
	}
	order := into[ops.Order](t, b.ops("GET", "/orders/"+p.uuid, nil))
	kinds := map[api.Deliverable]bool{}
	for _, f := range files {
		kinds[f.FileDataType] = true
		if !slices.Contains(order.Deliverables, f.FileDataType) {
			t.Errorf("%s was not ordered", f.FileDataType)
		}
		if f.FileType != "image/jpeg" {
			continue
		}
		if _, err := jpeg.Decode(bytes.NewReader(b.fetch("GET", f.DownloadURL).raw)); err != nil {
			t.Errorf("%s: %v", f.FileName, err)
		}
	}
	if len(kinds) != len(order.Deliverables) {
		t.Errorf("%v are delivered of %v", kinds, order.Deliverables)
	}
	// A second delivery has the same files in another package.
	if r := b.ops("POST", path, `{"generate":true}`); r.status != http.StatusCreated {
		t.Fatalf("the second time: %d", r.status)
	}
	for i, again := range b.filesOf(p) {
		if again.FileName != files[i].FileName || again.FileSize != files[i].FileSize {
			t.Errorf("%s of %d bytes is %s of %d the second time", files[i].FileName, files[i].FileSize, again.FileName, again.FileSize)
		}
	}
	early := b.takenOver(api.OrderOperatorAssigned, api.MissionPilotAssigned)
	wantFault(t, "too early", b.ops("POST", "/missions/"+early.mission[0]+"/deliver", `{"generate":true}`), 409, api.CodeConflict)
}

// Without space, nothing is delivered or stored.
func TestGenerateDeliveryOnAFullDisk(t *testing.T) {
	b := newBenchOn(t, &server.Server{SampleFileSize: 1 << 20})
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	server.LimitFiles(b.s, 200_000)
	wantFault(t, "no room", b.ops("POST", "/missions/"+p.mission[0]+"/deliver", `{"generate":true}`), 503, api.CodeStorageFull)
	if f, err := server.DomainOf(b.s).Missions.StoreFile(context.Background(), "all", "text/plain", io.LimitReader(zeros{}, 199_000)); err != nil {
		t.Errorf("what was made still takes room: %v, %v", f, err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func TestGenerateDataset(t *testing.T) {
	b := newBench(t)
	path := "/accounts/" + b.accountOf(b.alice) + "/datasets"
	for _, body := range []string{
		`{"datasetName":"Harbour","generate":true}`, `{"datasetName":"Harbour","generate":true,"locationMap":[]}`,
		`{"datasetName":"Harbour","locationMap":[{"lat":53.5,"lng":9.9}]}`, `{"generate":true,"locationMap":[{"lat":53.5,"lng":9.9}]}`,
	} {
		wantFault(t, body, b.ops("POST", path, body), 400, api.CodeValidationFailed)
	}
	r := b.ops("POST", path, `{"datasetName":"Harbour","generate":true,"locationMap":[{"lat":53.5,"lng":9.9}]}`)
	if r.status != http.StatusCreated {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	files := into[ops.Dataset](t, r).DeliveryFiles
	if files.Len() != 5 {
		t.Errorf("%d files: %+v", files.Len(), files)
	}
}
