package cli

import (
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
)

// sentTest is the output of webhook test --output json.
type sentTest struct {
	commands.TestResult
	Error string `json:"error,omitzero"`
}

func webhookTest() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test URL",
		Short: "Send a signed test event to a receiver",
		Long: `Sends an event of a placeholder mission (MSN-0) from this machine to a receiver, signed like the service's
callbacks. The service is not involved. Asks for confirmation if the receiver is on another machine; --yes skips it.
The exit status is 1 if the receiver rejects the event. Events: ` + knownEvents + `. --output json prints {"to", "event", "id", "ok", "status",
"took", "answer", "error"}; took is in milliseconds.`,
		Example: `# with the secret from a variable
flightdesk webhook test http://127.0.0.1:3000/hook --secret-env HOOK_SECRET

# with the secret from the keyring
flightdesk webhook test http://127.0.0.1:3000/hook --event mission.data_delivered --endpoint 01a1f8f0-4ba0-79b8-8433-3deb27c49f82`,
	}
	var f testFlags
	addFlags(cmd, &f.secretFlags)
	addFlags(cmd, &f)
	f.event = &choice[api.EventName]{known: api.EventNames()}
	addChoice(cmd, "event", "type of event to send", f.event)
	f.event.setDefault(cmd.Flag("event"), defaultTestEvent)
	profileFlag(cmd)
	confirmFlag(cmd)
	return definePrinting(cmd, f.sendTest)
}

// defaultTestEvent is the type of the test event unless --event selects another.
const defaultTestEvent = api.EventFlightScheduled

type testFlags struct {
	secretFlags
	CAFile string `flag:"ca,file with a certificate to trust for the receiver (PEM)"`
	event  *choice[api.EventName]
}

// sendTest sends a test event to the receiver in the arguments and prints the outcome.
func (f *testFlags) sendTest(c *Call) error {
	target, err := commands.ParseReceiver(c.Args[0])
	if err != nil {
		return badUsage(err) // without the URL, which can contain a password
	}
	secret, err := f.readSecret(c)
	if err != nil {
		return err
	}
	transport, err := transportWithCA(f.CAFile)
	if err != nil {
		return err
	}
	// The user is asked last, after everything that can prevent the test.
	if err := confirmTest(c, target); err != nil {
		return err
	}
	sent := commands.SendTest(c, target, secret, f.eventName(), time.Now(), transport)
	if problem := sent.ProblemError(); problem != nil {
		return printFailure(c, sentTest{TestResult: sent, Error: problem.Error()}, sent.To, problem)
	}
	line := fmt.Sprintf("%s %s: %s in %d ms", sent.Event, sent.ID, sent.Status, sent.Took)
	return c.PrintResult(sentTest{TestResult: sent}, line)
}

// confirmTest asks the user to confirm a test event, unless the receiver is on this machine.
func confirmTest(c *Call, receiver *url.URL) error {
	if commands.IsLoopback(receiver.Hostname()) {
		return nil
	}
	question := c.Args[0] + "\nThis sends a signed test event to another machine. Its receiver will treat it as real."
	return c.confirmChange(question, "test", "use --yes")
}

// eventName returns the type of the event to send. --event "" means the default.
func (f *testFlags) eventName() api.EventName {
	if len(f.event.Values) == 0 {
		return defaultTestEvent
	}
	return f.event.Values[0]
}
