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
	"strconv"
	"strings"
	"syscall"

	native "github.com/atotto/clipboard"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// addFlags adds a flag for each field of a struct that has the tag flag, with the name of the flag,
// a comma and the usage. The values of the fields are the defaults.
func addFlags(cmd *cobra.Command, fields any) {
	all := reflect.ValueOf(fields).Elem()
	for i := range all.NumField() {
		spec := all.Type().Field(i).Tag.Get("flag")
		if spec != "" {
			addFlag(cmd, spec, all.Field(i).Addr().Interface())
		}
	}
}

// flagTable has the variables of flags. Its keys are the specs of [addFlag].
type flagTable map[string]any

func (t flagTable) addTo(cmd *cobra.Command) {
	for spec, variable := range t {
		addFlag(cmd, spec, variable)
	}
}

// addFlag adds a flag. The spec is its name, a comma and the usage. The variable is a pointer to the
// default, which the flag replaces, or a function that is called with the value.
func addFlag(cmd *cobra.Command, spec string, variable any) {
	name, usage, _ := strings.Cut(spec, ",")
	flags := cmd.Flags()
	switch v := variable.(type) {
	case *string:
		flags.StringVar(v, name, *v, usage)
	case *[]string:
		flags.StringArrayVar(v, name, *v, usage)
	case *bool:
		flags.BoolVar(v, name, *v, usage)
	case *int:
		flags.IntVar(v, name, *v, usage)
	case *uint:
		flags.UintVar(v, name, *v, usage)
	case *float64:
		flags.Float64Var(v, name, *v, usage)
	case func(string) error:
		flags.Func(name, usage, v)
	}
}

// flagRule is a rule for the values of flags.
type flagRule struct {
	isBroken bool
	text     string // error if the rule is broken
}

// flagRules are rules for flags, in the order in which they are checked.
type flagRules []flagRule

// check returns the error of the first broken rule, or nil.
func (rules flagRules) check() error {
	for _, rule := range rules {
		if rule.isBroken {
			return errors.New(rule.text)
		}
	}
	return nil
}

// choice is a flag that selects from a fixed set of values, in upper or lower case. It selects one value
// or, if many is set, several values separated by commas.
type choice[T ~string] struct {
	Values []T // the selected values; the default until the flag is set
	known  []T
	many   bool
}

func (c *choice[T]) String() string { return strings.Join(format.PlainTexts(c.Values), ",") }

func (c *choice[T]) Type() string { return "choice" }

// Set selects the typed value. With many, it adds the typed values to the selected ones.
func (c *choice[T]) Set(typed string) error {
	words := []string{typed}
	if c.many {
		words = strings.Split(c.String()+","+typed, ",")
	}
	c.Values = nil
	for _, word := range words {
		word = plainWord(word)
		if word == "" {
			continue
		}
		i := slices.IndexFunc(c.known, func(known T) bool { return plainWord(string(known)) == word })
		if i < 0 {
			return errors.New("use " + strings.Join(format.PlainTexts(c.known), ", "))
		}
		c.Values = append(c.Values, c.known[i])
	}
	return nil
}

// plainWord returns a value in lower case and without the underscore in which products begin, so
// that it can be compared with a typed value.
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

func profileFlag(cmd *cobra.Command) {
	addFlag(cmd, "profile,profile to use; default_profile if omitted", new(string))
	_ = cmd.RegisterFlagCompletionFunc("profile", completeProfiles)
}

// orderCode returns the code of an order or mission in upper case, as the service writes it. Other
// texts, such as IDs, are returned unchanged.
func orderCode(typed string) string {
	if looksLikeCode(typed) {
		return strings.ToUpper(typed)
	}
	return typed
}

// isPlainURL reports whether a text is a URL with one of the schemes and a host, without a user and a
// fragment.
func isPlainURL(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != "" &&
		u.User == nil && u.Fragment == ""
}

// readInput reads a survey file, or standard input if the path is "-". Of a file that is too large
// it returns one byte more than the limit, so that the parser reports the error. It also returns
// when the context ends, even while it waits for a pipe. Errors begin with the name of the file.
func (c *Call) readInput(path string) ([]byte, error) {
	var data []byte
	readErr := api.Go(func() error {
		var err error
		data, err = c.readFileOrStdin(path)
		return err
	})
	select {
	case err := <-readErr:
		return data, prefixError(fileLabel(path), err)
	case <-c.Done():
		return nil, prefixError(fileLabel(path), c.Err())
	}
}

// readFileOrStdin reads a survey file, or standard input if the path is "-".
func (c *Call) readFileOrStdin(path string) ([]byte, error) {
	input := c.Cmd.InOrStdin()
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, explainFileError(err)
		}
		defer func() { _ = file.Close() }()
		input = file
	}
	data, err := new(ordering.FileReader).ReadSurvey(input)
	return data, explainFileError(err)
}

// explainFileError returns the error of a file with advice for the user, and without the path of the
// file, which the caller adds.
func explainFileError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("file not found")
	}
	if errors.Is(err, fs.ErrPermission) {
		return errors.New("permission denied; check the permissions of the file")
	}
	if errors.Is(err, syscall.EISDIR) {
		return errors.New("is a folder; name a KML, KMZ or CSV file in it")
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// unconfirmedAdvice ends the error of a change whose response was lost.
const unconfirmedAdvice = "the change may have been applied; check before retrying"

// confirmFlag adds --yes, which skips the question of [Call.confirmChange].
func confirmFlag(cmd *cobra.Command) {
	addFlag(cmd, "yes,skip the confirmation", new(bool))
}

// confirmChange prints a question and asks the user to type a word, unless --yes is set. Without a
// terminal it returns an error that ends with the advice.
func (c *Call) confirmChange(question, word, advice string) error {
	isConfirmed, _ := c.Cmd.Flags().GetBool("yes")
	if isConfirmed {
		return nil
	}
	if !isTerminal(c.Cmd.InOrStdin()) || !isTerminal(c.Stderr()) {
		return errors.New("cannot ask for confirmation without a terminal; " + advice)
	}
	out := newTextWriter(c.Stderr())
	textPart(question + "\n")(out)
	if err := out.Flush(); err != nil {
		return err
	}
	typed, err := c.readLine(fmt.Sprintf("Type %s to confirm: ", word), false)
	if err != nil {
		return err
	}
	if !strings.EqualFold(typed, word) {
		return errors.New("not confirmed; nothing was sent")
	}
	return nil
}

// readLine reads a line from standard input and trims it. On a terminal it prints the question first,
// and hides what the user types if isSecret is set.
func (c *Call) readLine(question string, isSecret bool) (string, error) {
	input := c.Cmd.InOrStdin()
	stderr := c.Stderr()
	var hidden *os.File // the terminal that hides what is typed; nil for none
	var hiddenState *term.State
	if isTerminal(input) {
		fmt.Fprint(stderr, question)
		if isSecret {
			hidden = input.(*os.File)
			hiddenState, _ = term.GetState(hidden.Fd())
		}
	}
	line := ""
	readErr := api.Go(func() error {
		var err error
		line, err = readTyped(input, hidden)
		return err
	})
	select {
	case err := <-readErr:
		if hidden != nil {
			fmt.Fprintln(stderr)
		}
		return strings.TrimSpace(line), err
	case <-c.Done():
		if hiddenState != nil {
			_ = term.Restore(hidden.Fd(), hiddenState)
		}
		fmt.Fprintln(stderr)
		return "", c.Err()
	}
}

// maxLineBytes is the largest number of bytes that are read of a line.
const maxLineBytes = 64 << 10

// readTyped reads a line from an input or, if hidden is not nil, from a terminal that does not show
// it. The end of the input ends the line.
func readTyped(input io.Reader, hidden *os.File) (string, error) {
	if hidden != nil {
		secret, err := term.ReadPassword(hidden.Fd())
		return string(secret), err
	}
	line, _ := bufio.NewReader(io.LimitReader(input, maxLineBytes)).ReadString('\n')
	return line, nil
}

// findClipboards returns the clipboards that the app can use from this terminal.
func findClipboards() session.ClipboardAccess {
	if native.Unsupported {
		return session.ClipboardsOf(os.Getenv, nil)
	}
	clipboards := session.ClipboardsOf(os.Getenv, native.WriteAll)
	clipboards.Paste = native.ReadAll
	return clipboards
}

// explainFlagError returns the error of a flag in words for the user instead of the library's.
func explainFlagError(err error) error {
	unknown, isUnknown := errors.AsType[*pflag.NotExistError](err)
	if isUnknown && unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag: -%s", unknown.GetSpecifiedName())
	}
	invalid, isInvalid := errors.AsType[*pflag.InvalidValueError](err)
	if !isInvalid {
		return err
	}
	flag := invalid.GetFlag()
	problem := describeProblem(flag.Value.Type(), invalid.Unwrap())
	return fmt.Errorf("--%s %q is %s", flag.Name, invalid.GetValue(), problem)
}

// valueKinds are descriptions of the values of flags, by the library's names of their types.
var valueKinds = map[string]string{
	"int":     "a whole number",
	"uint":    "a whole number from 0",
	"float64": "a number",
	"bool":    "true or false",
}

// describeProblem returns what is wrong with a value of a flag, such as "too large" or "not a number".
func describeProblem(valueType string, err error) string {
	if errors.Is(err, strconv.ErrRange) {
		return "too large"
	}
	if kind := valueKinds[valueType]; kind != "" {
		return "not " + kind
	}
	problem := strings.TrimPrefix(err.Error(), "is ")
	if strings.HasPrefix(problem, "not ") {
		return problem
	}
	return "not valid; " + problem
}
