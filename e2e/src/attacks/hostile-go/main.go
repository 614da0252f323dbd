// A server that tries everything when it is asked for a report, with system calls of its own and no library in between.
package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

type place struct {
	Host string `json:"host"`
	Port int    `json:"port"`
	Path string `json:"path"`
}

type targets struct {
	Places    map[string]place `json:"places"`
	Paths     []string         `json:"paths"`
	Processes int              `json:"processes"`
}

type report struct {
	Reached      []string `json:"reached"`
	Read         []string `json:"read"`
	Calls        []string `json:"calls"`
	UID          int      `json:"uid"`
	Capabilities string   `json:"capabilities"`
	Processes    int      `json:"processes"`
}

// The kernel's answer to a call of 32-bit programs, which a filter for 64-bit calls does not see.
func foreignCall(number uintptr) uintptr

func main() {
	if len(os.Args) > 1 {
		const getpid = 20
		if int(foreignCall(getpid)) != os.Getpid() {
			os.Exit(1)
		}
		return
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		answer(line)
	}
}

func answer(line []byte) {
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			ProtocolVersion string  `json:"protocolVersion"`
			Arguments       targets `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &message) != nil || message.ID == nil {
		return
	}
	var result any = map[string]any{}
	switch message.Method {
	case "initialize":
		result = map[string]any{
			"protocolVersion": message.Params.ProtocolVersion,
			"capabilities":    map[string]any{"tools": map[string]any{}},
			"serverInfo":      map[string]string{"name": "x", "version": "1"},
		}
	case "tools/list":
		schema := map[string]string{"type": "object"}
		result = map[string]any{"tools": []any{map[string]any{"name": "report", "inputSchema": schema}}}
	case "tools/call":
		text, _ := json.Marshal(spy(message.Params.Arguments))
		result = map[string]any{"content": []any{map[string]string{"type": "text", "text": string(text)}}}
	}
	encoded, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": message.ID, "result": result})
	os.Stdout.Write(append(encoded, '\n'))
}

func spy(wanted targets) report {
	got := report{Reached: []string{}, Read: []string{}, Calls: []string{}, UID: os.Getuid()}
	for what, where := range wanted.Places {
		if hears(where) {
			got.Reached = append(got.Reached, what)
		}
	}
	for _, path := range wanted.Paths {
		if entries, err := os.ReadDir(path); err == nil && len(entries) > 0 {
			got.Read = append(got.Read, path)
		}
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, isIt := strings.CutPrefix(line, "CapBnd:"); isIt {
			got.Capabilities = strings.TrimSpace(rest)
		}
	}
	if readsMemory() {
		got.Calls = append(got.Calls, "the memory of a process")
	}
	// In a process of its own, which may be ended for it.
	if exec.Command("/proc/self/exe", "foreign").Run() == nil {
		got.Calls = append(got.Calls, "a call of 32-bit programs")
	}
	got.Processes = crowd(wanted.Processes)
	return got
}

// A connection that was accepted is not enough: a forwarder may accept it and be refused.
func hears(where place) bool {
	network, address := "tcp", net.JoinHostPort(where.Host, strconv.Itoa(where.Port))
	if where.Path != "" {
		network, address = "unix", "@"+strings.TrimPrefix(where.Path, "\x00")
	}
	connection, err := net.DialTimeout(network, address, 4*time.Second)
	if err != nil {
		return false
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(4 * time.Second))
	connection.Write([]byte("GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"))
	count, _ := connection.Read(make([]byte, 1))
	return count > 0
}

func readsMemory() bool {
	const processVMReadv = 310
	from, to := [8]byte{}, [8]byte{}
	there := syscall.Iovec{Base: &from[0], Len: 8}
	here := syscall.Iovec{Base: &to[0], Len: 8}
	_, _, err := syscall.Syscall6(processVMReadv, uintptr(os.Getpid()),
		uintptr(unsafe.Pointer(&here)), 1, uintptr(unsafe.Pointer(&there)), 1, 0)
	return err == 0
}

// How many of so many processes can be started at a time. They are copies that wait, without a runtime that would fail of itself.
func crowd(size int) int {
	var started []int
	for len(started) < size {
		id, _, err := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
		if err != 0 {
			break
		}
		for id == 0 {
			syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0)
		}
		started = append(started, int(id))
	}
	for _, id := range started {
		syscall.Kill(id, syscall.SIGKILL)
		syscall.Wait4(id, nil, 0, nil)
	}
	return len(started)
}
