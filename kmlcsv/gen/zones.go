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

// readZones returns the time zones of the Go release. Each zone is the length of its name, the name, the length of its
// data, and the data.
func readZones() (encoded []byte) {
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	check(err)
	zones, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	check(err)
	for _, zone := range zones.File {
		file, err := zone.Open()
		check(err)
		data, err := io.ReadAll(file)
		check(err)
		encoded = appendText(encoded, zone.Name)
		encoded = appendText(encoded, string(data))
	}
	return encoded
}

// appendText appends the length of a text and the text.
func appendText(b []byte, text string) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}
