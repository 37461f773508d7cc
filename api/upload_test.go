package api_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// opsAt returns a client of an operations API that responds with h.
func opsAt(t *testing.T, h http.HandlerFunc, more ...api.Option) *ops.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	o, err := ops.NewClient(srv.URL, testKey, more...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const delivered = `{"success":true,"message":"","data":{"uuid":"p","fileCount":2}}`

// formOf parses a form and returns each part by its name, with the file name.
func formOf(t *testing.T, r *http.Request) (parts []string) {
	form, err := r.MultipartReader()
	if err != nil {
		t.Error(err)
		return nil
	}
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Error(err)
			return parts
		}
		content, err := io.ReadAll(p)
		if err != nil {
			t.Error(err)
		}
		parts = append(parts, p.FormName()+" "+p.FileName()+" "+string(content))
	}
}

func TestFilesAreStreamed(t *testing.T) {
	for name, c := range map[string]struct {
		content func() io.Reader
		tries   int32
	}{
		"to be read again": {func() io.Reader { return strings.NewReader("two") }, 2},
		"to be read once":  {func() io.Reader { return io.MultiReader(strings.NewReader("two")) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var tries atomic.Int32
			var seen []api.Exchange
			o := opsAt(t, func(w http.ResponseWriter, r *http.Request) {
				want := []string{"fileDataType  jpg", "fileDataType  thermalMap", "files a.jpg one", "files b%22.tif two"}
				if got := formOf(t, r); strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("%q", got)
				}
				if tries.Add(1) == 1 {
					w.Header().Set("Retry-After", "0")
					answer(w, http.StatusServiceUnavailable, `{"success":false,"message":"full","data":{"code":"unavailable"}}`)
					return
				}
				answer(w, http.StatusCreated, delivered)
			}, api.WithObserver(func(x api.Exchange) { seen = append(seen, x) }))
			behind := strings.NewReader("not this, one")
			if _, err := behind.Seek(10, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			_, err := o.Missions.Deliver(t.Context(), "m", api.FileInput{Name: "a.jpg", FileDataType: "jpg", Content: behind},
				api.FileInput{Name: `b".tif`, FileDataType: "thermalMap", MediaType: "image/tiff", Content: c.content()})
			if tries.Load() != c.tries || (err == nil) != (c.tries == 2) {
				t.Errorf("%d tries, %v", tries.Load(), err)
			}
			o.Shown()
			if len(seen) != int(c.tries) || seen[0].RequestSize < 400 || seen[0].RequestBody != nil {
				t.Errorf("the observer saw %+v", seen)
			}
		})
	}
}

func TestUnreadableFilesAreErrors(t *testing.T) {
	const want = "deliver: a.jpg: the stick is gone"
	var tries atomic.Int32
	o := opsAt(t, func(_ http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
	})
	content := io.MultiReader(strings.NewReader("a"), unplugged{})
	_, err := o.Missions.Deliver(t.Context(), "m", api.FileInput{Name: "a.jpg", FileDataType: "jpg", Content: content})
	var lost *api.TransportError
	if err == nil || err.Error() != want || errors.As(err, &lost) || tries.Load() > 1 {
		t.Errorf("%v, want %s; %d tries", err, want, tries.Load())
	}
}

type unplugged struct{}

func (unplugged) Read([]byte) (int, error) { return 0, errors.New("the stick is gone") }

// endless is a reader of n bytes that needs no memory.
type endless struct{ at, n int64 }

func (z *endless) Read(b []byte) (int, error) {
	if z.at == z.n {
		return 0, io.EOF
	}
	n := min(int64(len(b)), z.n-z.at)
	z.at += n
	return int(n), nil
}

func (z *endless) Seek(offset int64, whence int) (int64, error) {
	z.at = offset + [...]int64{0, z.at, z.n}[whence]
	return z.at, nil
}

func TestUploadsNeedNoMemory(t *testing.T) {
	const size = 64 << 20
	o := opsAt(t, func(w http.ResponseWriter, r *http.Request) {
		if n, err := io.Copy(io.Discard, r.Body); err != nil || n < size {
			t.Errorf("%d bytes, %v", n, err)
		}
		answer(w, http.StatusCreated, delivered)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := o.Missions.Deliver(t.Context(), "m", api.FileInput{Name: "a", Content: &endless{n: size}}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > size/8 {
		t.Errorf("%d bytes of memory", took)
	}
}
