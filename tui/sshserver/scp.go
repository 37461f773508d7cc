package sshserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// scpPeer is the far end of a copy by the protocol of scp, which clients before OpenSSH
// 9 use.
type scpPeer struct {
	*bufio.Reader
	io.Writer
	files *folder
	deep  bool // folders are sent, too
}

// runCopy runs the scp command of a client.
func runCopy(command []string, client io.ReadWriter, files *folder) error {
	p := &scpPeer{bufio.NewReader(client), client, files, slices.Contains(command, "-r")}
	name := command[len(command)-1]
	var err error
	switch {
	case len(command) > 2 && slices.Contains(command, "-t"):
		err = p.receive(name)
	case len(command) > 2 && slices.Contains(command, "-f"):
		err = p.sendAll(name)
	default:
		return errors.New("scp: not understood")
	}
	if err != nil {
		_, _ = fmt.Fprintf(p, "\x01scp: %v\n", err)
	}
	return err
}

// say writes a line and awaits its acknowledgement.
func (p *scpPeer) say(format string, args ...any) error {
	if _, err := fmt.Fprintf(p, format, args...); err != nil {
		return err
	}
	return p.awaitReply()
}

func (p *scpPeer) awaitReply() error {
	code, err := p.ReadByte()
	if err != nil || code == 0 {
		return err
	}
	return errors.New("stopped by the client")
}

// sendAll sends what a name, or a pattern of names, stands for.
func (p *scpPeer) sendAll(name string) error {
	if err := p.awaitReply(); err != nil {
		return err
	}
	at, err := pathIn(name)
	if err != nil {
		return err
	}
	if at = path.Clean(at); at == "." {
		at = "*" // the folder has no name for the client
	}
	names, err := fs.Glob(p.files.root.FS(), at)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	for _, name := range names {
		if err == nil {
			err = p.send(name)
		}
	}
	return err
}

func (p *scpPeer) send(name string) error {
	info, err := p.files.root.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return p.sendFolder(name)
	}
	file, err := p.files.open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err := p.say("C0600 %d %s\n", info.Size(), path.Base(name)); err != nil {
		return err
	}
	if _, err := io.CopyN(p, file, info.Size()); err != nil {
		return err
	}
	return p.say("\x00")
}

func (p *scpPeer) sendFolder(name string) error {
	if !p.deep {
		return fmt.Errorf("%s: is a folder; use -r", path.Base(name))
	}
	entries, err := fs.ReadDir(p.files.root.FS(), name)
	if err != nil {
		return err
	}
	if err := p.say("D0700 0 %s\n", path.Base(name)); err != nil {
		return err
	}
	for _, e := range entries {
		if err := p.send(path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return p.say("E\n")
}

// receive takes files, and folders with their files, until the client ends.
func (p *scpPeer) receive(target string) error {
	at, err := pathIn(target)
	if err != nil {
		return err
	}
	info, failed := p.files.root.Stat(at)
	isFolder, depth := failed == nil && info.IsDir(), 0
	for {
		kind, rest, err := p.readMessage()
		if err != nil || kind == 0 {
			return err
		}
		size, name, _ := strings.Cut(rest, " ")
		to := at
		if isFolder {
			to = at + "/" + name
		}
		switch {
		case kind == 'T':
		case kind == 'E' && depth > 0:
			at, depth = path.Dir(at), depth-1
		case !isPlainName(name):
			return fs.ErrInvalid
		default:
			if err := p.receiveNamed(kind, to, size); err != nil {
				return err
			}
			if kind == 'D' {
				at, isFolder, depth = to, true, depth+1
			}
		}
	}
}

// readMessage confirms the last message and reads the next one: its kind, 0 at the end of all, and what it says.
func (p *scpPeer) readMessage() (kind byte, rest string, err error) {
	if _, err := p.Write([]byte{0}); err != nil {
		return 0, "", err
	}
	line, err := p.ReadSlice('\n') // an error where it is longer than any name
	if errors.Is(err, io.EOF) && len(line) == 0 {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	first, rest, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
	if first = strings.TrimSpace(first); first == "" {
		return 0, "", errors.New("not understood")
	}
	return first[0], rest, nil
}

// receiveNamed takes a file, or the name of a folder.
func (p *scpPeer) receiveNamed(kind byte, to, size string) error {
	switch kind {
	case 'D':
		return p.files.makeFolder(to)
	case 'C':
		return p.receiveFile(to, size)
	}
	return errors.New("not understood")
}

// isPlainName reports whether a name is that of something in a folder.
func isPlainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, `/\`)
}

func (p *scpPeer) receiveFile(name, size string) error {
	var n int64
	if _, err := fmt.Sscanf(size, "%d", &n); err != nil || n < 0 {
		return errors.New("not understood")
	}
	file, err := p.files.create(name)
	if err != nil {
		return err
	}
	if _, err := p.Write([]byte{0}); err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = io.CopyN(io.NewOffsetWriter(file, 0), p, n)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return p.awaitReply()
}
