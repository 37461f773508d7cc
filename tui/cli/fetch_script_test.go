package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"flightdesk/api"
)

// delivers is the script command "delivers OPSKEY FILE=PRODUCT...". It delivers files of the mission
// in the variable MISSION or, if it is not set, of a mission with a flight, and sets ORDER and
// MISSION.
func delivers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: delivers opskey file=product...")
	}
	files := make([]deliveredFile, len(args)-1)
	for i, arg := range args[1:] {
		name, product, _ := strings.Cut(arg, "=")
		content, err := os.ReadFile(ts.MkAbs(name))
		ts.Check(err)
		files[i] = deliveredFile{name, product, content}
	}
	client, err := api.NewClient(ts.Getenv("BASE_URL"), api.WithKey(ts.Getenv("KEY")))
	ts.Check(err)
	mission, err := scheduled(client, ts.Getenv("MISSION"))
	ts.Check(err)
	ts.Check(deliverFiles("http://"+ts.Getenv("ADDR")+"/api/ops/v1", args[0], mission, files...))
	ts.Setenv("ORDER", mission.OrderCode)
	ts.Setenv("MISSION", mission.MissionCode)
}

// deliveredFile is a file of a delivery.
type deliveredFile struct {
	name, product string
	content       []byte
}

// deliverFiles delivers files of a mission through the operations API.
func deliverFiles(opsURL, opsKey string, mission *api.Mission, files ...deliveredFile) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range files {
		if err := form.WriteField("fileDataType", f.product); err != nil {
			return err
		}
		part, err := form.CreateFormFile("files", f.name)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.content); err != nil {
			return err
		}
	}
	if err := form.Close(); err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, opsURL+"/missions/"+mission.UUID+"/deliver", &body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+opsKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if answer, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusCreated {
		return fmt.Errorf("deliver: %d %s", res.StatusCode, answer)
	}
	return nil
}

// scheduled returns the mission with a code, or a mission with a flight if the code is "".
func scheduled(client *api.Client, code string) (*api.Mission, error) {
	ctx := context.Background()
	for o, err := range client.Orders.All(ctx) {
		if err != nil {
			return nil, err
		}
		detail, err := client.Orders.Get(ctx, o.OrderCode)
		if err != nil {
			return nil, err
		}
		for _, m := range detail.Missions {
			if m.MissionCode == code || code == "" && m.Status == api.MissionFlightScheduled {
				return &m, nil
			}
		}
	}
	return nil, errors.New("the demo has no scheduled flight")
}

// enlarge is the script command "enlarge FILE BYTES". It writes a file of that size.
func enlarge(ts *testscript.TestScript, neg bool, args []string) {
	var n int
	if neg || len(args) != 2 {
		ts.Fatalf("usage: enlarge file bytes")
	}
	_, err := fmt.Sscan(args[1], &n)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte("survey! "), n/8), 0o600))
}

// stopped is the script command "stopped FOLDER PROGRAM ARGUMENT...". It interrupts the program when
// the folder has a partial file with its state, and checks that the exit status is 130.
func stopped(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: stopped folder program argument...")
	}
	program, err := exec.LookPath(args[1])
	ts.Check(err)
	var stderr strings.Builder
	cmd := exec.Command(program, args[2:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), &stderr
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR", "FLIGHTDESK_BASE_URL", "FLIGHTDESK_API_KEY"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.After(patience)
	for asked := false; ; {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !asked || !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || stderr.String() != "interrupted\n" {
				ts.Fatalf("got %v and %q, want status 130 and one word", err, stderr.String())
			}
			return
		case <-late:
			_ = cmd.Process.Kill()
			ts.Fatalf("%s does not stop", args[1])
		case <-look.C:
		}
		if found, _ := filepath.Glob(ts.MkAbs(args[0]) + "/*/*/*/*.part.json"); len(found) > 0 && !asked {
			asked = true
			ts.Check(cmd.Process.Signal(os.Interrupt))
		}
	}
}
