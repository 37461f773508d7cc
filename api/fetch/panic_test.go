package fetch

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
)

// roundTripper is a transport that calls a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAPanicFailsItsItem(t *testing.T) {
	usual := NewTransport(nil)
	defer usual.CloseIdleConnections()
	var writes atomic.Int32
	for name, change := range map[string]func(*Options, *Package){
		"asking for the file": func(o *Options, p *Package) {
			o.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				if strings.Contains(r.URL.Path, p.Files[0].ID) {
					panic("a bug")
				}
				return usual.RoundTrip(r)
			})
		},
		"writing it": func(o *Options, p *Package) {
			o.Files, o.Transport = 1, usual // the first file is written first
			writes.Store(0)
			o.write = func(f *os.File, b []byte, at int64) (int, error) {
				if writes.Add(1) == 1 {
					panic("a bug")
				}
				return f.WriteAt(b, at)
			}
		},
		"renewing its link": func(o *Options, p *Package) {
			o.Transport = usual
			p.Files[0].URL = ""
			p.List = func(context.Context) ([]File, error) { panic("a bug") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStorage(t, file("a.tif", 400_000), file("bb.tif", 400_000))
			p := s.delivery()
			d := queue(t, "", func(o *Options) { change(o, &p) })
			items := d.fetch(p)
			var bug *api.PanicError
			if items[0].State != Failed || !errors.As(items[0].Err, &bug) || items[0].Err.Error() != "internal error: a bug" {
				t.Errorf("the file is %s: %v", items[0].State, items[0].Err)
			}
			d.states(items[1:], Done)
		})
	}
}

func TestAPanicOfAHelperFailsTheItem(t *testing.T) {
	usual := NewTransport(nil)
	defer usual.CloseIdleConnections()
	s := newStorage(t, file("map.tif", 40<<20))
	var requests atomic.Int32
	s.answer(func(w http.ResponseWriter, r *http.Request, o *object) bool {
		s.give(&slow{w, 2 << 20, time.Now(), 0}, r, o) // slow enough for helpers to be started
		return true
	})
	d := queue(t, "", func(o *Options) {
		o.PartsFrom = 1 << 20
		o.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			if requests.Add(1) > 1 {
				panic("a bug")
			}
			return usual.RoundTrip(r)
		})
	})
	items := d.fetch(s.delivery())
	if items[0].State != Failed || items[0].Err == nil || !strings.Contains(items[0].Err.Error(), "internal error: a bug") {
		t.Errorf("the file is %s: %v", items[0].State, items[0].Err)
	}
}

func TestABlockedDiskDoesNotBlockTheQueue(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000))
	release := s.hold()
	defer release()
	asked, answer := make(chan bool, 1), make(chan bool)
	defer close(answer)
	var calls atomic.Int32
	d := queue(t, "", func(o *Options) {
		o.Free = func(string) (int64, error) {
			if calls.Add(1) > 1 { // Add makes the first call
				asked <- true
				<-answer
			}
			return 1 << 40, nil
		}
	})
	if _, err := d.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	<-asked // from here on, the disk blocks
	if items, sum := d.State(); len(items) != 1 || sum.Count[Fetching] != 1 {
		t.Errorf("%+v", items)
	}
	d.Pause(d.all()...)
	d.wait()
	d.Close()
	d.states(d.Snapshot(), Paused)
}

func TestAPanicOfTheSpaceCheckPausesTheQueue(t *testing.T) {
	s := newStorage(t, file("a.tif", 400_000))
	release := s.hold()
	defer release()
	var calls atomic.Int32
	d := queue(t, "", func(o *Options) {
		o.Free = func(string) (int64, error) {
			if calls.Add(1) > 1 {
				panic("a bug")
			}
			return 1 << 40, nil
		}
	})
	if _, err := d.Add(s.delivery(), Waiting); err != nil {
		t.Fatal(err)
	}
	d.wait()
	if it := d.Snapshot()[0]; it.State != Paused || it.Err == nil || it.Err.Error() != "internal error: a bug" {
		t.Errorf("the file is %s: %v", it.State, it.Err)
	}
}
