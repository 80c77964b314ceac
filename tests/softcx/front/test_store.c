/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The trap's decoder: every store form that compilers use for a doorbell, run for real on a read-only page.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "softcx/front/store.h"

static uint8_t *page;
static struct sc_store seen;
static int decoded;

static void
on_fault(int sig, siginfo_t *info, void *context)
{
	decoded = sc_store_decode(context, &seen);
	if (decoded != 0 || (uint8_t *)info->si_addr - page >= 4096)
		_exit(99);
	sc_store_retire(context, &seen, 0x1122334455667788ull);
}

static const uint64_t value = 0x0123456789abcdefull;

/*
 * Each form stores value (or its low bytes) somewhere into the page and must come back behind the
 * instruction.
 */
#define FORM(name, ...) static void name(uint8_t *p) { __VA_ARGS__ }
FORM(mov64, asm volatile("mov %1, (%0)" :: "r"(p), "r"(value) : "memory");)
FORM(mov64_disp8, asm volatile("mov %1, 0x40(%0)" :: "r"(p), "r"(value) : "memory");)
FORM(mov64_disp32, asm volatile("mov %1, 0x800(%0)" :: "r"(p), "r"(value) : "memory");)
FORM(mov64_sib, asm volatile("mov %1, (%0,%2,8)" :: "r"(p), "r"(value), "r"(2ul) : "memory");)
FORM(mov64_sib32, asm volatile("mov %1, 0x400(,%0,1)" :: "r"(p), "r"(value) : "memory");)
FORM(mov64_r12, asm volatile("mov %0, %%r12; mov %1, (%%r12)" :: "r"(p), "r"(value) : "r12", "memory");)
FORM(mov64_r13, asm volatile("mov %0, %%r13; mov %1, (%%r13)" :: "r"(p), "r"(value) : "r13", "memory");)
FORM(mov64_r15, asm volatile("mov %1, %%r15; mov %%r15, 8(%0)" :: "r"(p), "r"(value) : "r15", "memory");)
FORM(mov64_seg, asm volatile(".byte 0x3e; mov %1, (%0)" :: "r"(p), "r"(value) : "memory");)
FORM(mov32, asm volatile("movl %k1, (%0)" :: "r"(p), "r"(value) : "memory");)
FORM(mov16, asm volatile("movw %w1, (%0)" :: "r"(p), "r"(value) : "memory");)
FORM(mov8, asm volatile("movb %b1, (%0)" :: "r"(p), "r"(value) : "memory");)
FORM(mov8_high, asm volatile("mov %1, %%rcx; movb %%ch, (%%rax)" :: "a"(p), "r"(value) : "rcx", "memory");)
FORM(mov8_sil, asm volatile("movb %%sil, (%%rax)" :: "a"(p), "S"(value) : "memory");)
FORM(imm32, asm volatile("movl $0x89abcdef, (%0)" :: "r"(p) : "memory");)
FORM(imm64, asm volatile("movq $-2, 0x10(%0)" :: "r"(p) : "memory");)
FORM(imm16, asm volatile("movw $0xcdef, (%0)" :: "r"(p) : "memory");)
FORM(imm8, asm volatile("movb $0xef, (%0)" :: "r"(p) : "memory");)
FORM(movnti, asm volatile("movnti %1, (%0)" :: "r"(p), "r"(value) : "memory");)
FORM(movnti32, asm volatile("movnti %k1, (%0)" :: "r"(p), "r"(value) : "memory");)
FORM(movq_d6, asm volatile("movq %1, %%xmm9; movq %%xmm9, (%0)" :: "r"(p), "r"(value) : "xmm9", "memory");)
FORM(movq_7e, asm volatile("movq %1, %%xmm3; .byte 0x66,0x48,0x0f,0x7e,0x18" :: "a"(p), "r"(value) : "xmm3", "memory");)
FORM(movd, asm volatile("movq %1, %%xmm0; movd %%xmm0, (%0)" :: "r"(p), "r"(value) : "xmm0", "memory");)
FORM(movlps, asm volatile("movq %1, %%xmm0; movlps %%xmm0, (%0)" :: "r"(p), "r"(value) : "xmm0", "memory");)
FORM(movhps, asm volatile("movq %1, %%xmm0; pslldq $8, %%xmm0; movhps %%xmm0, (%0)"
			  :: "r"(p), "r"(value) : "xmm0", "memory");)
FORM(movsd, asm volatile("movq %1, %%xmm7; movsd %%xmm7, (%0)" :: "r"(p), "r"(value) : "xmm7", "memory");)
FORM(movss, asm volatile("movq %1, %%xmm7; movss %%xmm7, (%0)" :: "r"(p), "r"(value) : "xmm7", "memory");)
FORM(movdqu, asm volatile("movq %1, %%xmm2; movdqu %%xmm2, (%0)" :: "r"(p), "r"(value) : "xmm2", "memory");)
FORM(movaps, asm volatile("movq %1, %%xmm2; movaps %%xmm2, (%0)" :: "r"(p), "r"(value) : "xmm2", "memory");)
FORM(movntdq, asm volatile("movq %1, %%xmm2; movntdq %%xmm2, (%0)" :: "r"(p), "r"(value) : "xmm2", "memory");)
FORM(atomic, __atomic_store_n((uint64_t *)p, value, __ATOMIC_SEQ_CST);)
FORM(release, __atomic_store_n((uint64_t *)p, value, __ATOMIC_RELEASE);)
FORM(movbe, asm volatile("mov %1, %%rdx; bswap %%rdx; movbe %%rdx, (%0)" :: "r"(p), "r"(value) : "rdx", "memory");)
FORM(pextrq, asm volatile("movq %1, %%xmm2; pslldq $8, %%xmm2; pextrq $1, %%xmm2, (%0)"
			  :: "r"(p), "r"(value) : "xmm2", "memory");)
FORM(vmovq, asm volatile("vmovq %1, %%xmm11; vmovq %%xmm11, (%0)" :: "r"(p), "r"(value) : "xmm11", "memory");)
FORM(vmovq_r9, asm volatile("mov %0, %%r9; vmovq %1, %%xmm1; vmovq %%xmm1, 0x20(%%r9)"
			    :: "r"(p), "r"(value) : "xmm1", "r9", "memory");)
FORM(vmovdqu, asm volatile("vmovq %1, %%xmm5; vmovdqu %%ymm5, (%0)" :: "r"(p), "r"(value) : "xmm5", "memory");)
FORM(vmovq_evex, asm volatile("vmovq %1, %%xmm20; vmovq %%xmm20, 8(%0)" :: "r"(p), "r"(value) : "memory");)
FORM(vmovdqu64, asm volatile("vmovq %1, %%xmm21; vmovdqu64 %%zmm21, 0x40(%0)"
			     :: "r"(p), "r"(value) : "memory");)

enum needs { ANY, MOVBE, SSE41, AVX, AVX512 };

static const struct {
	const char *name;
	void (*run)(uint8_t *p);
	uint8_t size;
	enum needs needs;
	uint64_t expect; /* 0: value */
} forms[] = {
	{ "mov r64", mov64, 8 }, { "mov disp8", mov64_disp8, 8 }, { "mov disp32", mov64_disp32, 8 },
	{ "mov sib", mov64_sib, 8 }, { "mov sib disp32", mov64_sib32, 8 }, { "mov r12", mov64_r12, 8 },
	{ "mov r13", mov64_r13, 8 }, { "mov r15", mov64_r15, 8 }, { "mov segment", mov64_seg, 8 },
	{ "mov r32", mov32, 4 }, { "mov r16", mov16, 2 }, { "mov r8", mov8, 1 }, { "mov ch", mov8_high, 1, ANY, 0xcd },
	{ "mov sil", mov8_sil, 1 }, { "mov imm32", imm32, 4 }, { "mov imm64", imm64, 8, ANY, (uint64_t)-2 },
	{ "mov imm16", imm16, 2 }, { "mov imm8", imm8, 1 }, { "movnti", movnti, 8 }, { "movnti r32", movnti32, 4 },
	{ "movq d6", movq_d6, 8 }, { "movq 7e", movq_7e, 8 }, { "movd", movd, 4 }, { "movlps", movlps, 8 },
	{ "movhps", movhps, 8 }, { "movsd", movsd, 8 }, { "movss", movss, 4 }, { "movdqu", movdqu, 16 },
	{ "movaps", movaps, 16 }, { "movntdq", movntdq, 16 }, { "xchg", atomic, 8 }, { "release", release, 8 },
	{ "movbe", movbe, 8, MOVBE }, { "pextrq", pextrq, 8, SSE41 }, { "vmovq", vmovq, 8, AVX },
	{ "vmovq r9", vmovq_r9, 8, AVX }, { "vmovdqu", vmovdqu, 32, AVX }, { "vmovq evex", vmovq_evex, 8, AVX512 },
	{ "vmovdqu64", vmovdqu64, 64, AVX512 },
};

static bool
cpu_has(enum needs needs)
{
	switch (needs) {
	case MOVBE:
		return __builtin_cpu_supports("avx2"); /* every CPU with AVX2 has it */
	case SSE41:
		return __builtin_cpu_supports("sse4.1");
	case AVX:
		return __builtin_cpu_supports("avx");
	case AVX512:
		return __builtin_cpu_supports("avx512vl");
	default:
		return true;
	}
}

/* cmocka takes SIGSEGV for itself when a test starts: take it back inside. */
static void
take_faults(void)
{
	const struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };

	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
}

static void
test_forms(void **state)
{
	unsigned int tried = 0;

	take_faults();
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint64_t expect = forms[i].expect != 0 ? forms[i].expect : value, got = 0;
		unsigned int low = forms[i].size < 8 ? forms[i].size : 8;

		if (!cpu_has(forms[i].needs))
			continue;
		memset(&seen, 0xa5, sizeof(seen));
		forms[i].run(page);
		memcpy(&got, seen.value, low);
		if (low < 8)
			expect &= (1ull << (low * 8)) - 1;
		if (seen.size != forms[i].size || got != expect)
			fail_msg("%s: size %u, value %016llx", forms[i].name, seen.size, (unsigned long long)got);
		for (unsigned int b = 8; b < seen.size; b++)
			assert_int_equal(seen.value[b], 0);
		tried++;
	}
	print_message("%u store forms\n", tried);
}

/* xchg gives the old memory back to the register. */
static void
test_exchange(void **state)
{
	uint64_t reg = value;
	uint32_t half = 7;

	take_faults();
	asm volatile("xchg %0, (%1)" : "+r"(reg) : "r"(page) : "memory");
	assert_int_equal(reg, 0x1122334455667788ull);
	asm volatile("xchg %0, (%1)" : "+r"(half) : "r"(page) : "memory");
	assert_int_equal(half, 0x55667788);
}

/* What only looks like a store form is not taken for one. */
static void
test_unknown(void **state)
{
	static const uint8_t codes[][8] = {
		{ 0x48, 0x01, 0x08 },       /* add %rcx, (%rax) */
		{ 0x48, 0x89, 0xc8 },       /* mov %rcx, %rax: no memory */
		{ 0xf3, 0x48, 0xab },       /* rep stos */
		{ 0x0f, 0x11, 0xc1 },       /* movups %xmm0, %xmm1 */
		{ 0x0f, 0x0b },             /* ud2 */
		{ 0x62, 0xf1, 0x7c, 0x49, 0x11, 0x08 }, /* masked vmovups */
	};
	ucontext_t uc = { 0 };
	struct sc_store store;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)codes[i];
		assert_int_not_equal(sc_store_decode(&uc, &store), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_unknown),
	};

	/* Below 4 GiB: one form has an absolute base of 32 bits. */
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
