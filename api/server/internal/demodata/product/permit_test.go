package product_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ledongthuc/pdf"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
)

func permit(t *testing.T, m product.Mission) []byte {
	t.Helper()
	f, err := product.Permit{
		Mission: m, Place: "Großmarkt (Köln)", Authority: "Bezirksregierung Łódź", Reference: "26-0417\\B",
		ValidFrom: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Issued: time.Date(2026, 4, 20, 8, 0, 0, 0, time.UTC),
	}.File()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := f.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if f.Name != "flight-permit.pdf" || f.MediaType != "application/pdf" {
		t.Errorf("it is %s, %s", f.Name, f.MediaType)
	}
	return b.Bytes()
}

func TestPermitsRead(t *testing.T) {
	t.Parallel()
	m := field()
	m.Name = "花蓮 and Łąka"
	b := permit(t, m)
	if !bytes.Equal(b, permit(t, m)) || len(b) > 40_000 {
		t.Errorf("it is made in two ways, or of %d bytes", len(b))
	}
	r, err := pdf.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if r.NumPage() != 1 {
		t.Errorf("%d pages", r.NumPage())
	}
	text, err := r.Page(1).GetPlainText(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Flight permission", "Bezirksregierung Lódz", `26-0417\B`, "MSN-1  ?? and Laka", "Großmarkt (Köln)", "50.91600, 6.95000",
		"Jørgen Aasen", "1 May 2026, 00:00 UTC", "permits nothing", "EPSG:32632",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if got := r.Trailer().Key("Info").Key("Title").Text(); got != `Flight permission 26-0417\B, 花蓮 and Łąka` {
		t.Errorf("its title is %q", got)
	}
}

func TestPermitsOfEveryMission(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]product.Mission{"line": corridor(), "mast": mast()} {
		b := permit(t, m)
		r, err := pdf.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil || r.NumPage() != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (product.Permit{Mission: product.Mission{Type: api.MissionArea}}).File(); err == nil {
		t.Error("a mission without a location has a permit")
	}
}
