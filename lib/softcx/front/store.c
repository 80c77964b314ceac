/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/front/store.h"

#include <cpuid.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/*
 * An x86-64 store is: legacy prefixes, REX or VEX or EVEX, opcode, ModRM, SIB, displacement, immediate
 * (Intel SDM volume 2, chapter 2). The address is not computed: the fault already told it.
 */

/* Where the stored bytes come from. */
enum source {
	FROM_GPR,      /* the ModRM register, operand size wide */
	FROM_GPR_BYTE, /* the same, one byte */
	FROM_GPR_BE,   /* movbe */
	FROM_IMM,
	FROM_IMM_BYTE,
	EXCHANGE,      /* xchg: stores the register, loads the old memory */
	FROM_XMM,      /* low bytes of a vector register */
	FROM_XMM_W,    /* low 4 bytes, 8 with W */
	FROM_XMM_HIGH, /* bytes 8..15 */
	FROM_VECTOR,   /* the whole register, as long as the encoding says */
	FROM_ELEMENT,  /* pextrd/pextrq: element chosen by an immediate byte */
};

enum { PP_NONE, PP_66, PP_F3, PP_F2, PP_ANY };
enum { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

struct form {
	uint8_t map, prefix, opcode, source, size;
};

static const struct form forms[] = {
	/* map       prefix   opcode  source      size    as assemblers call it */
	{ MAP_ONE,  PP_ANY,  0x88, FROM_GPR_BYTE, 1 }, /* mov r8 */
	{ MAP_ONE,  PP_ANY,  0x89, FROM_GPR, 0 },      /* mov r16/r32/r64 */
	{ MAP_ONE,  PP_ANY,  0xc6, FROM_IMM_BYTE, 1 }, /* mov imm8 */
	{ MAP_ONE,  PP_ANY,  0xc7, FROM_IMM, 0 },      /* mov imm16/imm32 */
	{ MAP_ONE,  PP_ANY,  0x87, EXCHANGE, 0 },      /* xchg: a sequentially consistent store */
	{ MAP_0F,   PP_NONE, 0xc3, FROM_GPR, 0 },      /* movnti */
	{ MAP_0F38, PP_NONE, 0xf1, FROM_GPR_BE, 0 },   /* movbe */
	{ MAP_0F38, PP_NONE, 0xf9, FROM_GPR, 0 },      /* movdiri */
	{ MAP_0F,   PP_66,   0x7e, FROM_XMM_W, 0 },    /* movd, movq */
	{ MAP_0F,   PP_66,   0xd6, FROM_XMM, 8 },      /* movq */
	{ MAP_0F,   PP_F3,   0x11, FROM_XMM, 4 },      /* movss */
	{ MAP_0F,   PP_F2,   0x11, FROM_XMM, 8 },      /* movsd */
	{ MAP_0F,   PP_NONE, 0x13, FROM_XMM, 8 },      /* movlps */
	{ MAP_0F,   PP_66,   0x13, FROM_XMM, 8 },      /* movlpd */
	{ MAP_0F,   PP_NONE, 0x17, FROM_XMM_HIGH, 8 }, /* movhps */
	{ MAP_0F,   PP_66,   0x17, FROM_XMM_HIGH, 8 }, /* movhpd */
	{ MAP_0F3A, PP_66,   0x16, FROM_ELEMENT, 0 },  /* pextrd, pextrq */
	{ MAP_0F,   PP_NONE, 0x11, FROM_VECTOR, 0 },   /* movups */
	{ MAP_0F,   PP_66,   0x11, FROM_VECTOR, 0 },   /* movupd */
	{ MAP_0F,   PP_NONE, 0x29, FROM_VECTOR, 0 },   /* movaps */
	{ MAP_0F,   PP_66,   0x29, FROM_VECTOR, 0 },   /* movapd */
	{ MAP_0F,   PP_NONE, 0x2b, FROM_VECTOR, 0 },   /* movntps */
	{ MAP_0F,   PP_66,   0x2b, FROM_VECTOR, 0 },   /* movntpd */
	{ MAP_0F,   PP_66,   0xe7, FROM_VECTOR, 0 },   /* movntdq */
	{ MAP_0F,   PP_66,   0x7f, FROM_VECTOR, 0 },   /* movdqa, vmovdqa32/64 */
	{ MAP_0F,   PP_F3,   0x7f, FROM_VECTOR, 0 },   /* movdqu, vmovdqu32/64 */
	{ MAP_0F,   PP_F2,   0x7f, FROM_VECTOR, 0 },   /* vmovdqu8/16 */
};

struct instruction {
	const uint8_t *at; /* next byte */
	uint8_t map, prefix, opcode;
	uint8_t reg;       /* ModRM register with its extension bits, 0..31 */
	uint8_t vector;    /* bytes of a whole vector register here: 16, 32 or 64 */
	bool wide;         /* W */
	bool rex;
};

static void
read_legacy_prefixes(struct instruction *in)
{
	for (;; in->at++) {
		switch (*in->at) {
		case 0x66:
			if (in->prefix == PP_NONE)
				in->prefix = PP_66;
			break;
		case 0xf2:
			in->prefix = PP_F2;
			break;
		case 0xf3:
			in->prefix = PP_F3;
			break;
		case 0x67: case 0x2e: case 0x36: case 0x3e: case 0x26: case 0x64: case 0x65: case 0xf0:
			break;
		default:
			return;
		}
	}
}

static void
read_legacy_opcode(struct instruction *in)
{
	in->vector = 16;
	if ((*in->at & 0xf0) == 0x40) {
		in->rex = true;
		in->wide = *in->at & 8;
		in->reg = (*in->at & 4) << 1;
		in->at++;
	}
	in->opcode = *in->at++;
	if (in->opcode != 0x0f)
		return;
	in->map = MAP_0F;
	in->opcode = *in->at++;
	if (in->opcode == 0x38 || in->opcode == 0x3a) {
		in->map = in->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
		in->opcode = *in->at++;
	}
}

static const uint8_t pp_prefix[] = { PP_NONE, PP_66, PP_F3, PP_F2 };

/* VEX (c5: two bytes, c4: three) and EVEX (62: four). Extension bits are stored inverted. */
static int
read_vector_opcode(struct instruction *in)
{
	uint8_t lead = in->at[0], last;

	in->reg = (~in->at[1] & 0x80) >> 4;
	if (lead == 0xc5) {
		in->map = MAP_0F;
		last = in->at[1];
		in->at += 2;
	} else {
		in->map = in->at[1] & (lead == 0x62 ? 7 : 31);
		last = in->at[2];
		in->wide = last & 0x80;
		in->at += 3;
	}
	in->prefix = pp_prefix[last & 3];
	in->vector = last & 4 ? 32 : 16;
	if (lead == 0x62) {
		in->reg |= ~in->at[-2] & 0x10;
		in->vector = 16 << ((*in->at >> 5) & 3);
		if (*in->at & 7 || in->vector > 64) /* masked stores write only some elements */
			return -EOPNOTSUPP;
		in->at++;
	}
	in->opcode = *in->at++;
	return 0;
}

/* ModRM, SIB and displacement. @return -EOPNOTSUPP for a register operand. */
static int
read_operand(struct instruction *in)
{
	uint8_t modrm = *in->at++, mod = modrm >> 6, rm = modrm & 7;
	bool wide_disp = mod == 2 || (mod == 0 && rm == 5);

	if (mod == 3)
		return -EOPNOTSUPP;
	in->reg |= (modrm >> 3) & 7;
	if (rm == 4 && (*in->at++ & 7) == 5 && mod == 0)
		wide_disp = true;
	in->at += wide_disp ? 4 : mod == 1;
	return 0;
}

static const struct form *
find_form(const struct instruction *in)
{
	for (unsigned int i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].map == in->map && forms[i].opcode == in->opcode &&
		    (forms[i].prefix == PP_ANY || forms[i].prefix == in->prefix))
			return &forms[i];
	return NULL;
}

static const uint8_t gregs[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* Extended state as the kernel puts it on the signal frame (SDM volume 1, 13.4: the standard format). */
#define XSAVE_SW_MAGIC   0x46505853
#define XSAVE_SW_OFFSET  464
#define XSAVE_BV_OFFSET  512
#define XSAVE_AVX        2
#define XSAVE_ZMM_HI256  6
#define XSAVE_HI16_ZMM   7

/* Bytes of component that start at place, or NULL when the component is in its initial state (zero). */
static const uint8_t *
xsave_component(const uint8_t *area, unsigned int component, uint32_t place)
{
	uint32_t magic, size, offset, c, d;
	uint64_t in_use;

	memcpy(&magic, area + XSAVE_SW_OFFSET, sizeof(magic));
	memcpy(&in_use, area + XSAVE_BV_OFFSET, sizeof(in_use));
	if (magic != XSAVE_SW_MAGIC || !(in_use & (1ull << component)))
		return NULL;
	if (!__get_cpuid_count(0xd, component, &size, &offset, &c, &d))
		return NULL;
	return area + offset + place;
}

static void
copy_component(uint8_t *to, const uint8_t *area, unsigned int component, uint32_t place, uint32_t len)
{
	const uint8_t *from = xsave_component(area, component, place);

	if (from != NULL)
		memcpy(to, from, len);
}

/* All 64 bytes of vector register number reg. */
static void
read_vector(const ucontext_t *uc, unsigned int reg, uint8_t out[64])
{
	const uint8_t *area = (const uint8_t *)uc->uc_mcontext.fpregs;

	memset(out, 0, 64);
	if (area == NULL)
		return;
	if (reg >= 16) {
		copy_component(out, area, XSAVE_HI16_ZMM, (reg - 16) * 64, 64);
		return;
	}
	memcpy(out, &uc->uc_mcontext.fpregs->_xmm[reg], 16);
	copy_component(out + 16, area, XSAVE_AVX, reg * 16, 16);
	copy_component(out + 32, area, XSAVE_ZMM_HI256, reg * 32, 32);
}

static void
take_gpr(const ucontext_t *uc, const struct instruction *in, struct sc_store *store)
{
	uint64_t value;

	/* Without REX, byte registers 4..7 are ah, ch, dh, bh. */
	if (store->size == 1 && !in->rex && in->reg >= 4)
		value = (uint64_t)uc->uc_mcontext.gregs[gregs[in->reg - 4]] >> 8;
	else
		value = uc->uc_mcontext.gregs[gregs[in->reg & 15]];
	memcpy(store->value, &value, sizeof(value));
}

static void
take_imm(struct instruction *in, struct sc_store *store)
{
	uint8_t bytes = store->size == 8 ? 4 : store->size;
	int32_t imm = 0;
	int64_t value;

	memcpy(&imm, in->at, bytes);
	in->at += bytes;
	value = imm; /* 64-bit stores extend the sign */
	memcpy(store->value, &value, sizeof(value));
}

static void
reverse(uint8_t *bytes, unsigned int len)
{
	for (unsigned int i = 0; i < len / 2; i++) {
		uint8_t t = bytes[i];

		bytes[i] = bytes[len - 1 - i];
		bytes[len - 1 - i] = t;
	}
}

static void
take_value(const ucontext_t *uc, struct instruction *in, const struct form *form, struct sc_store *store)
{
	uint8_t operand = in->wide ? 8 : in->prefix == PP_66 && in->map == MAP_ONE ? 2 : 4;
	uint8_t vector[64];

	store->size = form->size != 0 ? form->size : operand;
	store->exchange = -1;
	switch (form->source) {
	case EXCHANGE:
		store->exchange = in->reg & 15;
		/* fall through */
	case FROM_GPR:
	case FROM_GPR_BYTE:
		take_gpr(uc, in, store);
		return;
	case FROM_GPR_BE:
		take_gpr(uc, in, store);
		reverse(store->value, store->size);
		return;
	case FROM_IMM:
	case FROM_IMM_BYTE:
		take_imm(in, store);
		return;
	}
	read_vector(uc, in->reg, vector);
	switch (form->source) {
	case FROM_XMM_HIGH:
		memcpy(store->value, vector + 8, 8);
		return;
	case FROM_ELEMENT:
		memcpy(store->value, vector + (*in->at++ * store->size) % 16, store->size);
		return;
	case FROM_VECTOR:
		store->size = in->vector;
		break;
	}
	memcpy(store->value, vector, store->size);
}

int
sc_store_decode(const ucontext_t *uc, struct sc_store *store)
{
	const uint8_t *start = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];
	struct instruction in = { .at = start };
	const struct form *form;

	read_legacy_prefixes(&in);
	if (*in.at == 0xc4 || *in.at == 0xc5 || *in.at == 0x62) {
		if (read_vector_opcode(&in) != 0)
			return -EOPNOTSUPP;
	} else {
		read_legacy_opcode(&in);
	}
	form = find_form(&in);
	if (form == NULL || read_operand(&in) != 0)
		return -EOPNOTSUPP;
	take_value(uc, &in, form, store);
	store->length = in.at - start;
	return 0;
}

void
sc_store_retire(ucontext_t *uc, const struct sc_store *store, uint64_t old)
{
	if (store->exchange >= 0) {
		greg_t *reg = &uc->uc_mcontext.gregs[gregs[store->exchange]];

		if (store->size == 8)
			*reg = old;
		else if (store->size == 4)
			*reg = (uint32_t)old; /* 32-bit results clear the upper half */
		else
			*reg = (*reg & ~0xffffll) | (uint16_t)old;
	}
	uc->uc_mcontext.gregs[REG_RIP] += store->length;
}
