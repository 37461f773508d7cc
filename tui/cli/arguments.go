package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"flightdesk/api"
)

// checkArguments returns a function that checks arguments against the use of a command, such as "reject ORDER
// [REASON]". Each word after the name is an argument; words in brackets are optional, and "..." after the last word
// allows more arguments of that kind. Errors quote the first command line of example.
func checkArguments(use, example string) cobra.PositionalArgs {
	words := strings.Fields(use)[1:]
	allowsMore := strings.Contains(use, "...")
	call := firstCall(example)
	return func(_ *cobra.Command, args []string) error {
		if len(args) > len(words) && !allowsMore {
			return wrongUsage("unexpected argument %q, e.g. %s", args[len(words)], call)
		}
		for i, arg := range args {
			word := words[min(i, len(words)-1)]
			if strings.TrimSpace(arg) == "" {
				return wrongUsage("missing %s, e.g. %s", strings.Trim(word, "[]."), call)
			}
		}
		for _, word := range words[min(len(args), len(words)):] {
			isOptional := word[0] == '['
			if !isOptional {
				return wrongUsage("missing %s, e.g. %s", strings.Trim(word, "[]."), call)
			}
		}
		return nil
	}
}

// firstCall returns the first command line in the example of a command, without the comments before it, or "".
func firstCall(example string) string {
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// checkReason returns an error if the reason is longer than the service accepts. The reason is the optional
// second argument.
func checkReason(args []string) error {
	reason := strings.Join(args[1:], "")
	length := utf8.RuneCountInString(reason)
	if length > api.MaxTextLength {
		return fmt.Errorf("the reason has %d characters; the limit is %d", length, api.MaxTextLength)
	}
	return nil
}

// refuseArguments returns an error if a command with subcommands has arguments, because the first argument is
// then an unknown command. The error suggests a similar command.
func refuseArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	text := fmt.Sprintf("unknown command %q", name)
	names := subcommandNames(cmd)
	if suggestion := suggestCommand(cmd, name); suggestion != "" {
		text += fmt.Sprintf("; did you mean %q?", suggestion)
	} else if len(names) > 0 && len(names) <= maxNamedCommands {
		text += "; use " + chooseFrom(names)
	}
	return &usageError{cmd.CommandPath(), errors.New(text)}
}

// suggestCommand returns the command that the user probably means by an unknown name, or "". For a
// kind of rows, such as orders, it suggests list.
func suggestCommand(cmd *cobra.Command, name string) string {
	list, _, err := cmd.Root().Find([]string{"list"})
	if err == nil && slices.Contains(list.ValidArgs, name) {
		return "list " + name
	}
	for _, similar := range cmd.SuggestionsFor(name) {
		// Cobra suggests commands that differ in two letters. Nearly every name differs in two
		// letters from a short command, so the first letter must be the same.
		isShort := len(similar) < 4
		if isShort && name != "" && similar[0] != name[0] {
			continue
		}
		return similar
	}
	return ""
}
