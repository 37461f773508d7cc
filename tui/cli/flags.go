package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"

	native "github.com/atotto/clipboard"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// addFlags adds the flags of a struct: its fields whose tag flag has a name, a comma and the usage. The default is
// what a field has.
func addFlags(cmd *cobra.Command, of any) {
	all := reflect.ValueOf(of).Elem()
	for i := range all.NumField() {
		if described := all.Type().Field(i).Tag.Get("flag"); described != "" {
			addFlag(cmd, described, all.Field(i).Addr().Interface())
		}
	}
}

// flagTable has the variables of flags by the text that [addFlag] takes.
type flagTable map[string]any

func (t flagTable) addTo(cmd *cobra.Command) {
	for described, to := range t {
		addFlag(cmd, described, to)
	}
}

// addFlag adds a flag: its name, a comma and the usage. to is what it sets, and has the default; or a function that
// takes what was typed.
func addFlag(cmd *cobra.Command, described string, to any) {
	name, usage, _ := strings.Cut(described, ",")
	switch flags := cmd.Flags(); to := to.(type) {
	case *string:
		flags.StringVar(to, name, *to, usage)
	case *[]string:
		flags.StringArrayVar(to, name, *to, usage)
	case *bool:
		flags.BoolVar(to, name, *to, usage)
	case *int:
		flags.IntVar(to, name, *to, usage)
	case *uint:
		flags.UintVar(to, name, *to, usage)
	case *float64:
		flags.Float64Var(to, name, *to, usage)
	case func(string) error:
		flags.Func(name, usage, to)
	}
}

// flagFault is a fault of flags, with whether it was found.
type flagFault struct {
	found bool
	text  string
}

// flagFaults lists faults of flags in the order in which they are reported.
type flagFaults []flagFault

// check returns the first fault that was found, or nil.
func (f flagFaults) check() error {
	for _, fault := range f {
		if fault.found {
			return errors.New(fault.text)
		}
	}
	return nil
}

// choice is a flag with a fixed set of values, in any case: one of them, or many between commas.
type choice[T ~string] struct {
	Values, known []T
	many          bool
}

func (c *choice[T]) String() string { return strings.Join(format.PlainTexts(c.Values), ",") }

func (c *choice[T]) Type() string { return "choice" }

func (c *choice[T]) Set(typed string) error {
	parts := []string{typed}
	if c.many {
		parts = strings.Split(c.String()+","+typed, ",")
	}
	c.Values = nil
	for _, part := range parts {
		part = plainWord(part)
		at := slices.IndexFunc(c.known, func(known T) bool { return plainWord(string(known)) == part })
		switch {
		case at >= 0:
			c.Values = append(c.Values, c.known[at])
		case part != "":
			return errors.New("use " + strings.Join(format.PlainTexts(c.known), ", "))
		}
	}
	return nil
}

// plainWord returns a value in lower case and without the underscore in front of products, to
// compare it with what was typed.
func plainWord(value string) string { return strings.ToLower(strings.Trim(value, "_ ")) }

// outputFlag adds --output with its formats. The first format is the default.
func outputFlag(cmd *cobra.Command, formats ...string) {
	c := choice[string]{Values: formats[:1], known: formats}
	cmd.Flags().VarP(&c, "output", "o", "output format: "+strings.Join(formats, ", "))
	completeValues(cmd, "output", formats)
}

// choiceFlag adds a flag that takes one of a fixed set of values and has no default.
func choiceFlag[T ~string](cmd *cobra.Command, name, usage string, known ...T) *choice[T] {
	c := listFlag(cmd, name, usage+": "+strings.Join(format.PlainTexts(known), ", "), known)
	c.many = false
	return c
}

// listFlag adds a flag with values of a fixed set, separated by commas.
func listFlag[T ~string](cmd *cobra.Command, name, usage string, known []T) *choice[T] {
	c := &choice[T]{known: known, many: true}
	cmd.Flags().Var(c, name, usage)
	completeValues(cmd, name, format.PlainTexts(known))
	return c
}

// completeValues completes the values of a flag.
func completeValues(cmd *cobra.Command, name string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// profileFlag adds --profile.
func profileFlag(cmd *cobra.Command) {
	addFlag(cmd, "profile,profile to use; default_profile if omitted", new(string))
	_ = cmd.RegisterFlagCompletionFunc("profile", completeProfiles)
}

// orderCode returns the code of an order or mission in the spelling of the service.
func orderCode(typed string) string {
	if upper := strings.ToUpper(typed); strings.HasPrefix(upper, "ORD-") || strings.HasPrefix(upper, "MSN-") {
		return upper
	}
	return typed
}

// IsAddress reports whether a text is an address of one of the schemes, without a user or a fragment.
func IsAddress(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != "" &&
		u.User == nil && u.Fragment == ""
}

// readInput reads a file, or standard input for "-" up to one byte past the limit: the
// parser says that it is too large. It returns when the context
// ends, also while a pipe says nothing. Its error names the file.
func (c *Call) readInput(path string) ([]byte, error) {
	var data []byte
	read := api.Go(func() error {
		from := c.Cmd.InOrStdin()
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				return fileAdvice(err)
			}
			defer func() { _ = f.Close() }()
			from = f
		}
		var err error
		data, err = new(ordering.FileReader).ReadSurvey(from)
		return fileAdvice(err)
	})
	select {
	case err := <-read:
		return data, inName(nameOf(path), err)
	case <-c.Done():
		return nil, inName(nameOf(path), c.Err())
	}
}

// fileAdvice returns the error of a file without its path, which the caller adds, and with what to
// do about it.
func fileAdvice(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("file not found")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied; check the permissions of the file")
	case errors.Is(err, syscall.EISDIR):
		return errors.New("is a folder; name a KML, KMZ or CSV file in it")
	case errors.As(err, &path):
		return path.Err
	}
	return err
}

// unsureAdvice is the end of an error of a change whose response was lost.
const unsureAdvice = "the change may have been applied; check before retrying"

// confirmFlag adds --yes, which skips the question of [confirmChange].
func confirmFlag(cmd *cobra.Command) {
	addFlag(cmd, "yes,skip the confirmation", new(bool))
}

// confirmChange asks the user to type a word, unless --yes is set. If there is no terminal, it
// returns an error with how to confirm without one.
func (c *Call) confirmChange(question, word, without string) error {
	if sure, _ := c.Cmd.Flags().GetBool("yes"); sure {
		return nil
	}
	if !isTerminal(c.Cmd.InOrStdin()) || !isTerminal(c.Trouble()) {
		return errors.New("cannot ask for confirmation without a terminal; " + without)
	}
	to := newPaper(c.Trouble())
	textPart(question + "\n")(to)
	if err := to.Flush(); err != nil {
		return err
	}
	typed, err := c.askLine(fmt.Sprintf("Type %s to confirm: ", word), false)
	if err == nil && !strings.EqualFold(typed, word) {
		err = errors.New("not confirmed; nothing was sent")
	}
	return err
}

// askLine reads a line from standard input. On a terminal it prints a question first and does not
// show a secret that is typed.
func (c *Call) askLine(question string, secret bool) (string, error) {
	in, stderr := c.Cmd.InOrStdin(), c.Trouble()
	var before *term.State
	f, isFile := in.(*os.File)
	if isFile && isTerminal(f) {
		fmt.Fprint(stderr, question)
		if secret {
			before, _ = term.GetState(f.Fd())
		}
	}
	typed := ""
	read := api.Go(func() error {
		if before != nil {
			hidden, err := term.ReadPassword(f.Fd())
			typed = string(hidden)
			return err
		}
		typed, _ = bufio.NewReader(io.LimitReader(in, mostTyped)).ReadString('\n')
		return nil
	})
	select {
	case err := <-read:
		if before != nil {
			fmt.Fprintln(stderr)
		}
		return strings.TrimSpace(typed), err
	case <-c.Done():
		if before != nil {
			_ = term.Restore(f.Fd(), before)
		}
		fmt.Fprintln(stderr)
		return "", c.Err()
	}
}

// mostTyped is the largest number of bytes that are read of a line.
const mostTyped = 64 << 10

// reachableClipboards returns the clipboards that the app can use from this terminal.
func reachableClipboards() session.ClipboardAccess {
	if native.Unsupported {
		return session.ClipboardsOf(os.Getenv, nil)
	}
	way := session.ClipboardsOf(os.Getenv, native.WriteAll)
	way.Paste = native.ReadAll
	return way
}
