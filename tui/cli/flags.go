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

// addFlags adds a flag for each field of a struct that has a tag such as `flag:"limit,maximum number of rows"`:
// the name of the flag and its usage. options is a pointer to the struct. The value of a field is the default of
// its flag.
func addFlags(cmd *cobra.Command, options any) {
	fields := reflect.ValueOf(options).Elem()
	for i := range fields.NumField() {
		tag := fields.Type().Field(i).Tag.Get("flag")
		if tag == "" {
			continue
		}
		name, usage, _ := strings.Cut(tag, ",")
		addTaggedFlag(cmd.Flags(), fields.Field(i).Addr().Interface(), name, usage)
	}
}

// addTaggedFlag adds the flag of a field with a tag. field is a pointer to the field.
func addTaggedFlag(flags *pflag.FlagSet, field any, name, usage string) {
	switch value := field.(type) {
	case *string:
		flags.StringVar(value, name, *value, usage)
	case *bool:
		flags.BoolVar(value, name, *value, usage)
	case *int:
		flags.IntVar(value, name, *value, usage)
	case *uint:
		flags.UintVar(value, name, *value, usage)
	default:
		panic(fmt.Sprintf("--%s: fields of type %T cannot be flags", name, field))
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

// choice is a flag that selects one value from a fixed set. If isList is set, it selects several values, which
// are separated by commas. Upper and lower case are the same.
type choice[T ~string] struct {
	Values []T // the selected values; the default until the flag is set
	known  []T
	isList bool
}

func (c *choice[T]) String() string { return strings.Join(format.PlainTexts(c.Values), ",") }

func (c *choice[T]) Type() string { return "choice" }

// setDefault sets the value that is selected until the flag is set.
func (c *choice[T]) setDefault(flag *pflag.Flag, value T) {
	c.Values = []T{value}
	flag.DefValue = string(value) // for the help
}

// Set selects the typed value. If the flag has a list, it adds the typed values to the selected values.
func (c *choice[T]) Set(typed string) error {
	words := []string{typed}
	if c.isList {
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

// plainWord returns a value in lower case and without underscores around it, so that it can be compared with
// a typed value. The names of products begin with an underscore, which need not be typed.
func plainWord(value string) string { return strings.ToLower(strings.Trim(value, "_ ")) }

// outputFlag adds --output with its formats. The first format is the default.
func outputFlag(cmd *cobra.Command, formats ...string) {
	c := choice[string]{Values: formats[:1], known: formats}
	cmd.Flags().VarP(&c, "output", "o", "output format: "+strings.Join(formats, ", "))
	completeValues(cmd, "output", formats)
}

// choiceFlag adds a flag that takes one of a fixed set of values and has no default.
func choiceFlag[T ~string](cmd *cobra.Command, name, usage string, known ...T) *choice[T] {
	c := &choice[T]{known: known}
	addChoice(cmd, name, withValues(usage, known), c)
	return c
}

// withValues returns the usage of a flag, followed by its values.
func withValues[T ~string](usage string, values []T) string {
	return usage + ": " + strings.Join(format.PlainTexts(values), ", ")
}

// listFlag adds a flag with values of a fixed set, separated by commas.
func listFlag[T ~string](cmd *cobra.Command, name, usage string, known []T) *choice[T] {
	c := &choice[T]{known: known, isList: true}
	addChoice(cmd, name, usage, c)
	return c
}

// addChoice adds a flag that selects from a fixed set of values. The shell completes the values.
func addChoice[T ~string](cmd *cobra.Command, name, usage string, c *choice[T]) {
	cmd.Flags().Var(c, name, usage)
	completeValues(cmd, name, format.PlainTexts(c.known))
}

// completeValues completes the values of a flag.
func completeValues(cmd *cobra.Command, name string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func profileFlag(cmd *cobra.Command) {
	cmd.Flags().String("profile", "", "profile to use; default_profile if omitted")
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

// readInput reads a survey file, or standard input if the path is "-". Of a file larger than the parser allows, it
// reads one byte more than the limit, so that the parser reports the error. An interruption ends the reading,
// even from a pipe that sends nothing. Errors begin with the name of the file.
func (c *Call) readInput(path string) ([]byte, error) {
	data, err := readInterruptibly(c, func() ([]byte, error) { return c.readFileOrStdin(path) })
	return data, prefixError(fileLabel(path), err)
}

// readInterruptibly calls a function that reads input and returns its result. If the command is interrupted
// first, it returns an error at once, although the function still runs.
func readInterruptibly[T any](c *Call, read func() (T, error)) (T, error) {
	var result T
	done := api.Go(func() error {
		var err error
		result, err = read()
		return err
	})
	select {
	case err := <-done:
		return result, err
	case <-c.Done():
		var none T
		return none, c.Err()
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

// explainFileError returns an error of reading or writing a file with advice for the user. The error does not
// contain the path of the file, which the caller adds.
func explainFileError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("file not found")
	}
	if errors.Is(err, fs.ErrPermission) {
		return errors.New("permission denied; check the permissions of the file and its folder")
	}
	if errors.Is(err, syscall.EISDIR) {
		return errors.New("is a folder; name a file in it")
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
	cmd.Flags().Bool("yes", false, "skip the confirmation")
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
	writeQuestion := textPart(question + "\n")
	writeQuestion(out)
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
	isAsked := isTerminal(input)
	if isAsked {
		fmt.Fprint(c.Stderr(), question)
	}
	var line string
	var err error
	if isAsked && isSecret {
		line, err = c.readHiddenLine(input.(*os.File))
	} else {
		line, err = c.readPlainLine(input)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// readHiddenLine reads a line from a terminal that does not show what the user types.
func (c *Call) readHiddenLine(terminal *os.File) (string, error) {
	state, stateErr := term.GetState(terminal.Fd())
	secret, err := readInterruptibly(c, func() ([]byte, error) { return term.ReadPassword(terminal.Fd()) })
	if err != nil && stateErr == nil {
		_ = term.Restore(terminal.Fd(), state) // an interrupted ReadPassword does not restore it
	}
	fmt.Fprintln(c.Stderr()) // the terminal has not shown the line end that the user typed
	return string(secret), err
}

// maxLineBytes is the largest number of bytes that are read of a line.
const maxLineBytes = 64 << 10

// readPlainLine reads a line from an input. The end of the input ends the line.
func (c *Call) readPlainLine(input io.Reader) (string, error) {
	line, err := readInterruptibly(c, func() (string, error) {
		text, _ := bufio.NewReader(io.LimitReader(input, maxLineBytes)).ReadString('\n')
		return text, nil
	})
	if err != nil { // interrupted
		fmt.Fprintln(c.Stderr())
		return "", err
	}
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

// explainFlagError returns an error of the flag library in words for the user.
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
