package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A response without a length that ends twice at the same byte is all the server has. That is
// reported at once, and not after minutes of retries.
func TestAResponseWithoutLengthThatEndsEarlyTwiceIsAnError(t *testing.T) {
	for _, listed := range []int64{0, 500_000} {
		o := file("cloud.bin", 300_000)
		o.plain, o.listed = true, listed
		s := newStorage(t, o)
		s.always = func(w http.ResponseWriter, _ *http.Request, o *object) bool {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return true
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n\r\n")
			_, _ = conn.Write(o.content[:100_000])
			_ = conn.Close()
			return true
		}
		d := queue(t, "", nil)
		items := d.fetch(s.delivery())
		if items[0].State != Failed || !errors.Is(items[0].Err, ErrMismatch) {
			t.Errorf("%s: %v", items[0].State, items[0].Err)
		}
		if n := len(s.asked()); n != 2 {
			t.Errorf("it was asked for %d times", n)
		}
	}
}

// The error for a file without a link says so, and does not contain an HTTP status.
func TestAFileWithoutALinkIsReported(t *testing.T) {
	s := newStorage(t, file("cloud.bin", 1000))
	p := s.delivery()
	p.Files[0].URL, p.List = "", nil
	items := queue(t, "", nil).fetch(p)
	if err := items[0].Err; !errors.Is(err, ErrGone) || strings.Contains(err.Error(), "HTTP") || len(s.asked()) > 0 {
		t.Errorf("%v, after %d requests", err, len(s.asked()))
	}
}
