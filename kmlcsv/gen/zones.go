package main

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// readZones returns the time zones of the Go release, all together: of each the length of
// its name and the name, and the length of its data and these.
func readZones() (together []byte) {
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	check(err)
	zones, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	check(err)
	for _, zone := range zones.File {
		file, err := zone.Open()
		check(err)
		data, err := io.ReadAll(file)
		check(err)
		for _, part := range []string{zone.Name, string(data)} {
			together = append(binary.AppendUvarint(together, uint64(len(part))), part...)
		}
	}
	return together
}
