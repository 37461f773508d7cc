package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"flightdesk/api/server"
)

const (
	patience = 90 * time.Second // longest time until a program prints something, on a busy machine with the race detector
	stopping = 10 * time.Second // longest time until a server stops, as documented
)

// background is a program that a script has started.
type background struct {
	cmd         *exec.Cmd
	first, rest bytes.Buffer // first line of standard output, and the rest
	stderr      bytes.Buffer
	ended       chan error
}

type backgroundKey struct{}

// launch is the script command "launch PROGRAM ARGUMENT...". It starts a program in the background
// and waits for its first line, the ready line of a server. It sets BASE_URL, ADDR, and KEY to the
// key of the first account.
func launch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: launch program argument...")
	}
	program, err := exec.LookPath(args[0])
	ts.Check(err)
	b := &background{cmd: exec.Command(program, args[1:]...), ended: make(chan error, 1)}
	b.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"} {
		b.cmd.Env = append(b.cmd.Env, name+"="+ts.Getenv(name))
	}
	b.cmd.Stderr = &b.stderr
	stdout, err := b.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(b.cmd.Start())
	ts.Defer(func() { _ = b.cmd.Process.Kill() })
	wrote := make(chan struct{})
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n')
		b.first.WriteString(line)
		close(wrote)
		_, _ = io.Copy(&b.rest, lines)
		b.ended <- b.cmd.Wait()
	}()
	select {
	case <-wrote:
	case <-time.After(patience):
		ts.Fatalf("%s says nothing", args[0])
	}
	running, _ := ts.Value(backgroundKey{}).(map[string]*background)
	running[args[0]] = b
	var ready server.ReadyLine
	if json.Unmarshal(b.first.Bytes(), &ready) != nil {
		return // a banner for people
	}
	ts.Setenv("BASE_URL", ready.BaseURL)
	address, err := url.Parse(ready.BaseURL)
	ts.Check(err)
	ts.Setenv("ADDR", address.Host)
	if len(ready.Accounts) > 0 {
		ts.Setenv("KEY", ready.Accounts[0].Key)
	}
}

// end is the script command "end PROGRAM SIGNAL". It sends a signal to a started program, waits
// until it ends with status 0, and writes its output to out.txt and err.txt.
func end(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	if neg || len(args) != 2 || signals[args[1]] == nil {
		ts.Fatalf("usage: end program INT|TERM|HUP")
	}
	running, _ := ts.Value(backgroundKey{}).(map[string]*background)
	b := running[args[0]]
	if b == nil {
		ts.Fatalf("%s is not running", args[0])
	}
	ts.Check(b.cmd.Process.Signal(signals[args[1]]))
	select {
	case err := <-b.ended:
		ts.Check(err)
	case <-time.After(stopping):
		ts.Fatalf("%s does not stop", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs("out.txt"), slices.Concat(b.first.Bytes(), b.rest.Bytes()), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err.txt"), b.stderr.Bytes(), 0o600))
}

// capture is the script command "capture VARIABLE EXPRESSION". It sets a variable to the first group
// of an expression in the standard output of the last program.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture variable expression")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("no match for %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// request is the program "request [-X METHOD] [-key KEY] [-ca FILE] [-d FILE | -f FILE] URL". It
// sends an HTTP request and prints the status, the media type, Retry-After and the body. With -ca it
// trusts only that certificate.
func request() {
	if err := sendRequest(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func sendRequest(args []string) error {
	flags := flag.NewFlagSet("request", flag.ContinueOnError)
	method := flags.String("X", http.MethodGet, "method")
	key := flags.String("key", "", "API key")
	ca := flags.String("ca", "", "file of the certificate to trust")
	data := flags.String("d", "", "file that is the JSON body")
	upload := flags.String("f", "", "file to upload")
	if err := flags.Parse(args); err != nil {
		return err
	}
	body, mediaType, err := requestBody(*data, *upload)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(*method, flags.Arg(0), body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", mediaType)
	if *key != "" {
		req.Header.Set("Authorization", "Bearer "+*key)
	}
	trusted, err := trusting(*ca)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Timeout: patience, Transport: trusted}).Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	fmt.Println(res.StatusCode, res.Header.Get("Content-Type"))
	if pause := res.Header.Get("Retry-After"); pause != "" {
		fmt.Println("Retry-After:", pause)
	}
	_, err = io.Copy(os.Stdout, res.Body)
	return err
}

func requestBody(data, upload string) (io.Reader, string, error) {
	switch {
	case data != "":
		content, err := os.ReadFile(data)
		return bytes.NewReader(content), "application/json", err
	case upload == "":
		return http.NoBody, "", nil
	}
	content, err := os.ReadFile(upload)
	if err != nil {
		return nil, "", err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(upload))
	if err != nil {
		return nil, "", err
	}
	_, err = part.Write(content)
	return &body, form.FormDataContentType(), errors.Join(err, form.Close())
}
