package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"

	"flightdesk/api"
)

func TestADemoAnswersRequestsThatAreSentBeforeItIsReady(t *testing.T) {
	_, cancel := context.WithCancelCause(t.Context())
	d, err := startDemo(t.Context(), cancel, newDemoServer())
	if err != nil {
		t.Fatal(err)
	}
	page, err := d.options.Client.Orders.List(t.Context(), api.ListOptions{})
	if err != nil || len(page.Items) == 0 {
		t.Errorf("%d orders, %v", len(page.Items), err)
	}
	if got := d.service.server.Accounts()[0]; got.CompanyName != d.options.Company || got.Key != d.service.server.DemoKey {
		t.Errorf("the app is on the account %s, not on %s", d.options.Company, got.CompanyName)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestADemoCanBeClosedWhileItStarts(t *testing.T) {
	running, cancel := context.WithCancelCause(t.Context())
	world := newDemoServer()
	world.server.DemoOrders = maxQuickOrders
	d, err := startDemo(t.Context(), cancel, world)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(d.folder.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is left: %v", err)
	}
	<-running.Done()
	if err := context.Cause(running); !strings.HasPrefix(err.Error(), "the service did not start: ") {
		t.Errorf("the app ends with %v", err)
	}
	if c, err := net.Dial("tcp", d.options.Client.Host()); err == nil {
		_ = c.Close()
		t.Error("its port is left open")
	}
}

func TestTheAppEndsWithAnErrorOfTheService(t *testing.T) {
	for want, run := range map[string]func() error{
		"disk full":                  func() error { return errors.New("disk full") },
		"internal error: out of air": func() error { panic("out of air") },
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancelWhenDone(cancel, run)
		if <-ctx.Done(); context.Cause(ctx).Error() != want {
			t.Errorf("got %v, want %s", context.Cause(ctx), want)
		}
	}
}

// BenchmarkDemoStart measures the time from the start of a demo until its first orders are listed.
func BenchmarkDemoStart(b *testing.B) {
	for b.Loop() {
		_, cancel := context.WithCancelCause(b.Context())
		d, err := startDemo(b.Context(), cancel, newDemoServer())
		if err != nil {
			b.Fatal(err)
		}
		page, err := d.options.Client.Orders.List(b.Context(), api.ListOptions{Limit: api.MaxPageLimit})
		b.StopTimer()
		if err != nil || len(page.Items) == 0 {
			b.Fatalf("%d orders, %v", len(page.Items), err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
